import type { ErrorCode } from '../errors/catalogue.ts';
import type { TypeOf } from '../json.ts';
import { keyFrom } from '../membership/keys/built-in-keys.ts';
import {
  importKey,
  KEY_ID_PATTERN,
  MAX_DEPTH,
  MAX_SOURCE_CHARACTERS,
} from '../membership/keys/import-key.ts';
import { type KeyInfo, listKeys, usesOfKey } from '../membership/keys/verifying-keys.ts';
import { createKeyOperator, removeKey, rotateNow } from '../oidc/keys/operate.ts';
import { type KeyAge, keyAges } from '../oidc/keys/rotation.ts';
import { publicKeyText } from '../refresh/keys/credential-keys.ts';
import { revokeCredentialKey, rotateCredentialKey } from '../refresh/keys/operate.ts';
import { createCredentialKeyOperator } from '../refresh/keys/registered-keys.ts';
import type { IssuerKeyRow } from '../storage/refresh/issuer-keys.ts';
import type { SigningKeyRow } from '../storage/signin/signing-keys.ts';
import type { Store } from '../storage/store.ts';
import { isoTime } from '../text.ts';
import { type OperationServices, operation, operations } from './operation.ts';
import {
  ENVIRONMENT,
  FLAG,
  INTEGER,
  listOf,
  NOTHING,
  OPTIONAL_TEXT,
  OPTIONAL_TIME,
  objectSchema,
  TEXT,
  TIME,
  TREE,
  textOf,
} from './schemas.ts';

/** Uses of a signing key: tokens of sign-in, or credentials of a refresh. */
export const KEY_USES = ['signin', 'credential'] as const;
/** Limit of a key as text: as many characters as any key in hex has (`MAX_DIGITS` of src/groth16/content.ts). */
const MAX_KEY_CHARACTERS = 524_288;
const USE = { type: 'string', enum: KEY_USES } as const;
const USE_OR_SIGNIN = { ...USE, default: 'signin' } as const;
const KEY_FAULTS: readonly ErrorCode[] = [
  ...(['key.not_json', 'key.protocol', 'key.input_count', 'key.length', 'key.coordinate_range'] as const),
  ...(['key.point_not_on_curve', 'key.point_not_in_subgroup', 'key.point_at_infinity'] as const),
  ...(['key.forgeable', 'key.degenerate_inputs', 'key.forbidden', 'key.conflict'] as const),
];

const KEY = objectSchema(
  {
    kid: TEXT,
    use: USE,
    state: { type: 'string', enum: ['next', 'active', 'retired', 'revoked'] },
    created_at: TIME,
    activated_at: OPTIONAL_TIME,
    retired_at: OPTIONAL_TIME,
    changes_at: {
      ...OPTIONAL_TIME,
      description: 'Next rotation, or the removal of a retired key; null if it does not change by itself.',
    },
    sealed: { ...FLAG, description: 'Whether the store has its private part, sealed.' },
    development: FLAG,
    issuer_schema_id: { ...TEXT, description: 'Credential keys: a u64 in decimal.' },
    origin: { ...TEXT, description: 'Credential keys: where it comes from.' },
    pk: { ...listOf(TEXT), description: 'Credential keys: x and y in decimal.' },
  },
  ['issuer_schema_id', 'origin', 'pk'],
);

/** Signing key of either use for display, without its private part. */
export type ShownKey = TypeOf<typeof KEY>;

const VERIFYING_KEY = objectSchema({
  id: TEXT,
  origin: TEXT,
  depth: { type: ['integer', 'null'], description: 'Depth of the trees it is for.' },
  inputs: { ...INTEGER, description: 'Number of public inputs.' },
  fingerprint: { ...TEXT, description: 'SHA-256 of the key, 64 hex digits.' },
  source: TEXT,
  built_in: FLAG,
  used_for: {
    ...listOf(
      objectSchema({
        environment: ENVIRONMENT,
        tree: TREE,
        by: { type: 'string', enum: ['setting', 'root'] },
      }),
    ),
    description:
      'Trees whose proofs it verifies: bound to it by a setting, or with a current root that names it.',
  },
});

/** Verifying key for display, without its uses. */
export type ShownVerifyingKey = Omit<TypeOf<typeof VERIFYING_KEY>, 'used_for'>;

/** Operations of signing keys and of verifying keys. */
export const KEY_OPERATIONS = operations('Keys', {
  listKeys: operation({
    at: 'GET /keys',
    scope: 'read',
    summary: 'Lists the signing keys of sign-in and of credentials.',
    input: objectSchema({ use: { ...USE, description: 'Only keys of this use.' } }, ['use']),
    output: objectSchema({ items: listOf(KEY) }),
    answer: 'The keys.',
    async run({ config, now }, { use: wanted }, { store }) {
      const uses = KEY_USES.filter((use) => wanted === undefined || wanted === use);
      const lists = await Promise.all(uses.map((use) => readSigningKeys(use, store, config.keys, now())));
      return { items: lists.flat() };
    },
  }),
  rotateKey: operation({
    at: 'POST /keys/rotate',
    scope: 'write',
    summary: 'Makes the next sign-in key active, or makes a new credential key.',
    description:
      'Running servers follow within storage.cacheSeconds. A new credential key must be registered where credentials are verified; refused while refresh.signingSeed is set.',
    input: objectSchema(
      {
        use: USE_OR_SIGNIN,
        force: { ...FLAG, description: 'Sign-in: rotates although the next key is too young.' },
      },
      ['use', 'force'],
    ),
    output: objectSchema(
      {
        active: TEXT,
        next: { ...TEXT, description: 'Sign-in.' },
        early: {
          ...FLAG,
          description: 'Sign-in: verifiers with a cached key set may refuse tokens of the active key.',
        },
        retired: { ...OPTIONAL_TEXT, description: 'Credentials.' },
      },
      ['next', 'early', 'retired'],
    ),
    answer: 'The keys after the rotation.',
    errors: [
      ...(['signing_key.none', 'signing_key.too_young', 'signing_key.changed'] as const),
      ...(['issuer_key.configured', 'issuer_key.changed'] as const),
    ],
    example: { use: 'signin', force: true },
    async run(services, { use, force }, { store }) {
      const { config, now } = services;
      if (use === 'credential') {
        const parts = { store: store.issuerKeys, engine: await services.engine(), config, now };
        const operator = createCredentialKeyOperator(parts);
        const { active, former } = await rotateCredentialKey(operator, config.refresh.signingSeed);
        return { active: active.keyId, retired: former?.keyId ?? null };
      }
      const change = await rotateNow(createKeyOperator(store.signingKeys, config, now), force === true);
      return { active: change.activeKid, next: change.nextKid, early: change.isEarly };
    },
  }),
  removeKey: operation({
    at: 'DELETE /keys/{kid}',
    scope: 'write',
    summary: 'Removes a compromised sign-in key, or revokes a credential key.',
    description:
      'Tokens of a removed sign-in key become invalid. A revoked credential key never signs again; make another one, preferably before.',
    input: objectSchema({ kid: textOf(128), use: USE_OR_SIGNIN }, ['use']),
    answer: 'The key is removed or revoked.',
    errors: ['signing_key.unknown', 'signing_key.none', 'signing_key.changed', 'issuer_key.unknown'],
    example: { kid: '{kid}' },
    async run({ config, now }, { kid, use }, { store }) {
      if (use === 'credential') await revokeCredentialKey(kid, { store: store.issuerKeys, now });
      else await removeKey(kid, createKeyOperator(store.signingKeys, config, now));
    },
  }),
  listVerifyingKeys: operation({
    at: 'GET /vkeys',
    scope: 'read',
    summary: 'Lists the verifying keys, built-in ones first.',
    input: NOTHING,
    output: objectSchema({ items: listOf(VERIFYING_KEY) }),
    answer: 'The keys.',
    async run({ config }, _input, { store }) {
      const keys = await listKeys(config.profile, store.verifyingKeys);
      return { items: keys.map(await withUses(config, store)) };
    },
  }),
  importVerifyingKey: operation({
    at: 'POST /vkeys',
    scope: 'write',
    summary: 'Imports a verifying key.',
    description:
      'Every point is checked. The key of an id never changes; importing the same key again does nothing.',
    input: objectSchema(
      {
        id: { type: 'string', pattern: KEY_ID_PATTERN },
        key: {
          type: ['object', 'string'],
          maxLength: MAX_KEY_CHARACTERS,
          pattern: '^[^\\u0000]*$',
          description:
            'In any form of src/docs/proofs-from-other-tools.md: JSON as snarkjs exports it or of another tool, or bytes in hex or base64.',
        },
        depth: { type: 'integer', minimum: 1, maximum: MAX_DEPTH },
        source: { ...textOf(MAX_SOURCE_CHARACTERS, 0), description: 'Where it comes from.' },
      },
      ['depth', 'source'],
    ),
    output: objectSchema({
      key: VERIFYING_KEY,
      form: { ...TEXT, description: 'Form in which the key was found, such as `snarkjs` or `gnark-json`.' },
      warnings: listOf(TEXT),
    }),
    status: 201,
    answer: 'The key, and why production would refuse it.',
    errors: KEY_FAULTS,
    example: { id: 'my-key', key: {} },
    async run({ config, engine, now }, { id, key, ...facts }, { store }) {
      const warnings: string[] = [];
      const read = keyFrom(key, { depth: facts.depth });
      const info = await importKey(
        { keyId: id, key: read, ...facts },
        { engine: await engine(), store, onWarning: (text) => warnings.push(text) },
        config.profile,
        now(),
      );
      const show = await withUses(config, store);
      return { key: show(info), form: read.form, warnings };
    },
  }),
});

/** Reads the keys of one use in the form in which they are shown. */
export async function readSigningKeys(
  use: (typeof KEY_USES)[number],
  { signingKeys, issuerKeys }: Pick<Store, 'signingKeys' | 'issuerKeys'>,
  config: Parameters<typeof keyAges>[1],
  now: number,
): Promise<ShownKey[]> {
  if (use === 'credential') return (await issuerKeys.listAll()).map(credentialKeyJson);
  const rows = await signingKeys.list('signin', now);
  const ages = keyAges(rows, config, now);
  return rows.flatMap((row, index) => {
    const age = ages[index];
    return age === undefined ? [] : [signingKeyJson(row, age, now)];
  });
}

/** Returns the members of a sign-in key; `age` is the age of the key at `now`. */
function signingKeyJson(row: SigningKeyRow, age: KeyAge, now: number): ShownKey {
  return {
    kid: row.kid,
    use: 'signin',
    state: row.state,
    created_at: isoTime(row.createdAt),
    activated_at: row.activatedAt === null ? null : isoTime(row.activatedAt),
    retired_at: row.retiredAt === null ? null : isoTime(row.retiredAt),
    changes_at: age.endsInSeconds === undefined ? null : isoTime(now + Math.round(age.endsInSeconds * 1000)),
    sealed: row.isSealed,
    development: row.isDevelopment,
  };
}

/** Returns the members of a credential key, which signs from its registration on and never changes by itself. */
function credentialKeyJson(row: IssuerKeyRow): ShownKey {
  const registeredAt = isoTime(row.registeredAt);
  return {
    kid: row.keyId,
    use: 'credential',
    state: row.status,
    created_at: registeredAt,
    activated_at: registeredAt,
    retired_at: row.retiredAt === null ? null : isoTime(row.retiredAt),
    changes_at: null,
    sealed: row.sealedSeed !== null,
    development: row.origin === 'development',
    issuer_schema_id: row.issuerSchemaId,
    origin: row.origin,
    pk: publicKeyText(row),
  };
}

/** Returns the members of a verifying key. */
function verifyingKeyJson(key: KeyInfo): ShownVerifyingKey {
  return {
    id: key.keyId,
    origin: key.origin,
    depth: key.depth,
    inputs: key.inputCount,
    fingerprint: key.fingerprint,
    source: key.source,
    built_in: key.isBuiltIn,
  };
}

/** Returns a function that shows a verifying key with its uses. */
async function withUses(
  { verify }: Pick<OperationServices['config'], 'verify'>,
  { roots }: Pick<Store, 'roots'>,
): Promise<(key: KeyInfo) => TypeOf<typeof VERIFYING_KEY>> {
  const current = await roots.listCurrent();
  return (key) => ({ ...verifyingKeyJson(key), used_for: usesOfKey(key.keyId, verify.keys, current) });
}
