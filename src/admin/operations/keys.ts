import type { ErrorCode } from '../../errors/index.ts';
import type { JsonSchema } from '../../json.ts';
import { importKey, type KeyInfo, listKeys, usesOfKey } from '../../membership/index.ts';
import { createKeyOperator, removeKey, rotateNow } from '../../oidc/keys/operate.ts';
import { keyAges } from '../../oidc/keys/rotation.ts';
import { revokeCredentialKey, rotateCredentialKey } from '../../refresh/keys/operate.ts';
import { createCredentialKeyOperator } from '../../refresh/keys/registered-keys.ts';
import type { Store } from '../../storage/index.ts';
import { credentialKeyJson, type ShownKey, signingKeyJson, verifyingKeyJson } from '../forms/index.ts';
import type { AdminServices, Operation } from '../operation.ts';
import {
  ENVIRONMENT,
  listOf,
  OPTIONAL_TEXT,
  OPTIONAL_TIME,
  objectSchema,
  TIME,
  TREE,
  textOf,
} from './schemas.ts';

const TAG = 'Keys';
/** Uses of a signing key: tokens of sign-in, or credentials of a refresh. */
export const KEY_USES = ['signin', 'credential'] as const;
const USE: JsonSchema = { type: 'string', enum: KEY_USES };
const MAX_DEPTH = 64;
const MAX_SOURCE_CHARACTERS = 256;
const KEY_FAULTS: readonly ErrorCode[] = [
  ...(['key.not_json', 'key.protocol', 'key.input_count', 'key.length', 'key.coordinate_range'] as const),
  ...(['key.point_not_on_curve', 'key.point_not_in_subgroup', 'key.point_at_infinity'] as const),
  ...(['key.forgeable', 'key.degenerate_inputs', 'key.forbidden', 'key.conflict'] as const),
];

const KEY = objectSchema(
  {
    ...{ kid: { type: 'string' }, use: USE },
    state: { type: 'string', enum: ['next', 'active', 'retired', 'revoked'] },
    ...{ created_at: TIME, activated_at: OPTIONAL_TIME, retired_at: OPTIONAL_TIME },
    changes_at: {
      ...OPTIONAL_TIME,
      description: 'Next rotation, or the removal of a retired key; null if it does not change by itself.',
    },
    sealed: { type: 'boolean', description: 'Whether the store has its private part, sealed.' },
    development: { type: 'boolean' },
    issuer_schema_id: { type: 'string', description: 'Credential keys: a u64 in decimal.' },
    origin: { type: 'string', description: 'Credential keys: where it comes from.' },
    pk: { ...listOf({ type: 'string' }), description: 'Credential keys: x and y in decimal.' },
  },
  ['issuer_schema_id', 'origin', 'pk'],
);

const VERIFYING_KEY = objectSchema({
  ...{ id: { type: 'string' }, origin: { type: 'string' } },
  depth: { type: ['integer', 'null'], description: 'Depth of the trees it is for.' },
  inputs: { type: 'integer', description: 'Number of public inputs.' },
  fingerprint: { type: 'string', description: 'SHA-256 of the key, 64 hex digits.' },
  ...{ source: { type: 'string' }, built_in: { type: 'boolean' } },
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

/** Operations of signing keys and of verifying keys. */
export const KEY_OPERATIONS: readonly Operation[] = [
  {
    ...{ id: 'listKeys', method: 'GET', path: '/keys', scope: 'read', tag: TAG },
    summary: 'Lists the signing keys of sign-in and of credentials.',
    query: { use: { ...USE, description: 'Only keys of this use.' } },
    response: { status: 200, description: 'The keys.', schema: objectSchema({ items: listOf(KEY) }) },
    errors: [],
    example: {},
    async run({ config, now }, { query, store }) {
      const uses = KEY_USES.filter((use) => query.use === undefined || query.use === use);
      const lists = await Promise.all(uses.map((use) => readSigningKeys(use, store, config.keys, now())));
      return { status: 200, body: { items: lists.flat() } };
    },
  },
  {
    ...{ id: 'rotateKey', method: 'POST', path: '/keys/rotate', scope: 'write', tag: TAG },
    summary: 'Makes the next sign-in key active, or makes a new credential key.',
    description:
      'Running servers follow within storage.cacheSeconds. A new credential key must be registered where credentials are verified; refused while refresh.signingSeed is set.',
    body: objectSchema(
      {
        use: { ...USE, default: 'signin' },
        force: { type: 'boolean', description: 'Sign-in: rotates although the next key is too young.' },
      },
      ['use', 'force'],
    ),
    response: {
      status: 200,
      description: 'The keys after the rotation.',
      schema: objectSchema(
        {
          active: { type: 'string' },
          next: { type: 'string', description: 'Sign-in.' },
          early: {
            type: 'boolean',
            description: 'Sign-in: verifiers with a cached key set may refuse tokens of the active key.',
          },
          retired: { ...OPTIONAL_TEXT, description: 'Credentials.' },
        },
        ['next', 'early', 'retired'],
      ),
    },
    errors: [
      ...(['signing_key.none', 'signing_key.too_young', 'signing_key.changed'] as const),
      ...(['issuer_key.configured', 'issuer_key.changed'] as const),
    ],
    example: { body: { use: 'signin', force: true } },
    async run(services, { body, store }) {
      const { config, engine, now } = services;
      if (body.use === 'credential') {
        const operator = createCredentialKeyOperator({ store: store.issuerKeys, engine, config, now });
        const { active, former } = await rotateCredentialKey(operator, config.refresh.signingSeed);
        return { status: 200, body: { active: active.keyId, retired: former?.keyId ?? null } };
      }
      const change = await rotateNow(createKeyOperator(store.signingKeys, config, now), body.force === true);
      return {
        status: 200,
        body: { active: change.activeKid, next: change.nextKid, early: change.isEarly },
      };
    },
  },
  {
    ...{ id: 'removeKey', method: 'DELETE', path: '/keys/{kid}', scope: 'write', tag: TAG },
    summary: 'Removes a compromised sign-in key, or revokes a credential key.',
    description:
      'Tokens of a removed sign-in key become invalid. A revoked credential key never signs again; make another one, preferably before.',
    params: { kid: textOf(128) },
    query: { use: { ...USE, default: 'signin' } },
    response: { status: 204, description: 'The key is removed or revoked.' },
    errors: ['signing_key.unknown', 'signing_key.none', 'signing_key.changed', 'issuer_key.unknown'],
    example: { params: { kid: '{kid}' } },
    async run({ config, now }, { params, query, store }) {
      const kid = params.kid ?? '';
      if (query.use === 'credential') await revokeCredentialKey(kid, { store: store.issuerKeys, now });
      else await removeKey(kid, createKeyOperator(store.signingKeys, config, now));
      return { status: 204 };
    },
  },
  {
    ...{ id: 'listVerifyingKeys', method: 'GET', path: '/vkeys', scope: 'read', tag: TAG },
    summary: 'Lists the verifying keys, built-in ones first.',
    response: {
      status: 200,
      description: 'The keys.',
      schema: objectSchema({ items: listOf(VERIFYING_KEY) }),
    },
    errors: [],
    example: {},
    async run({ config }, { store }) {
      const keys = await listKeys(config.profile, store.verifyingKeys);
      const show = await withUses(config, store);
      return { status: 200, body: { items: keys.map(show) } };
    },
  },
  {
    ...{ id: 'importVerifyingKey', method: 'POST', path: '/vkeys', scope: 'write', tag: TAG },
    summary: 'Imports a verifying key in snarkjs JSON.',
    description:
      'Every point is checked. The key of an id never changes; importing the same key again does nothing.',
    body: objectSchema(
      {
        id: { type: 'string', pattern: '^[a-z0-9][a-z0-9._-]{0,63}$' },
        key: { type: 'object', description: 'As snarkjs exports it.' },
        depth: { type: 'integer', minimum: 1, maximum: MAX_DEPTH },
        source: { ...textOf(MAX_SOURCE_CHARACTERS, 0), description: 'Where it comes from.' },
      },
      ['depth', 'source'],
    ),
    response: {
      status: 201,
      description: 'The key, and why production would refuse it.',
      schema: objectSchema({ key: VERIFYING_KEY, warnings: listOf({ type: 'string' }) }),
    },
    errors: KEY_FAULTS,
    example: { body: { id: 'my-key', key: {} } },
    async run({ config, engine, now }, { body, store }) {
      const { id, key, depth, source } = body;
      const warnings: string[] = [];
      const request = {
        ...{ keyId: String(id), file: JSON.stringify(key) },
        ...(depth === undefined ? {} : { depth: Number(depth) }),
        ...(source === undefined ? {} : { source: String(source) }),
      };
      const info = await importKey(
        request,
        { engine, store, onWarning: (text) => warnings.push(text) },
        config.profile,
        now(),
      );
      const show = await withUses(config, store);
      return { status: 201, body: { key: show(info), warnings } };
    },
  },
];

/** Returns what shows a verifying key with its uses. */
async function withUses(
  { verify }: Pick<AdminServices['config'], 'verify'>,
  { roots }: Pick<Store, 'roots'>,
): Promise<(key: KeyInfo) => unknown> {
  const current = await roots.listCurrent();
  return (key) => ({ ...verifyingKeyJson(key), used_for: usesOfKey(key.keyId, verify.keys, current) });
}
