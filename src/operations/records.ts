import type { TypeOf } from '../json.ts';
import { findEnrolment, importEnrolments, revokeEnrolment } from '../refresh/records/enrolments.ts';
import type { ImportObserver, ImportResult, RefusedLine } from '../refresh/records/import-lines.ts';
import { importOrbKeys, revokeOrbKey } from '../refresh/records/orb-keys.ts';
import { toHex } from '../semaphore/hex.ts';
import type { EnrolmentRow } from '../storage/refresh/enrolments.ts';
import type { BindingRow } from '../storage/refresh/issuance.ts';
import type { OrbKeyRow } from '../storage/refresh/orb-keys.ts';
import { isoTime } from '../text.ts';
import { operation, operations } from './operation.ts';
import { PAGE_QUERY, pageOf, pageSchema, readPage } from './page.ts';
import {
  COUNT,
  FIELD_ELEMENT,
  FLAG,
  GIVEN_TIME,
  HEX32,
  listOf,
  objectSchema,
  TEXT,
  TIME,
  textOf,
} from './schemas.ts';

const MAX_RECORDS = 500;
const MAX_ID_CHARACTERS = 256;
const MAX_KEYS = 16;
const MAX_PEM_CHARACTERS = 4096;
const EXAMPLE_ID = '0x0000000000000000000000000000000000000000000000000000000000000007';

const STATUS = { type: 'string', enum: ['active', 'revoked'] } as const;
const REVOKED = { type: 'string', enum: ['revoked'] } as const;
const SIGNUP_MEMBERS = {
  id_comm: HEX32,
  signup_id: TEXT,
  orb_id: TEXT,
  enrolled_at: TIME,
  status: STATUS,
  updated_at: TIME,
} as const;
const SIGNUP = objectSchema(SIGNUP_MEMBERS);
const BINDING = objectSchema({
  issuer_schema_id: { ...TEXT, description: 'A u64 in decimal.' },
  sub: HEX32,
  genesis_issued_at: TIME,
  credentials: COUNT,
  last_issued_at: TIME,
});
const KEY_HASH = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;
const ORB_KEY = objectSchema({
  key_hash: { ...KEY_HASH, description: 'SHA-256 of the key as DER.' },
  status: STATUS,
  added_at: TIME,
  pem: TEXT,
});
const IMPORTED = objectSchema({
  added: COUNT,
  updated: COUNT,
  unchanged: COUNT,
  refused: listOf(
    objectSchema({
      index: { ...COUNT, description: 'Index of the record in the request.' },
      code: TEXT,
      message: TEXT,
    }),
  ),
});
const IMPORT_TEXT =
  'A refused record does not stop the others. Importing the same records again changes nothing.';

/** Operations of enrolment records and of orb keys. */
export const RECORD_OPERATIONS = operations('Credential refresh', {
  listSignups: operation({
    at: 'GET /signups',
    scope: 'read',
    summary: 'Lists the enrolment records.',
    input: objectSchema(PAGE_QUERY, ['limit', 'cursor']),
    output: pageSchema(SIGNUP),
    answer: 'A page of records.',
    async run(_services, page, { store }) {
      const { limit, after } = readPage(page, ['string']);
      const place = after && new Uint8Array(Buffer.from(String(after[0]), 'hex'));
      const rows = await store.enrolments.page(limit + 1, place);
      return pageOf(rows, limit, signupJson, ({ idComm }) => [Buffer.from(idComm).toString('hex')]);
    },
  }),
  importSignups: operation({
    at: 'POST /signups',
    scope: 'write',
    summary: 'Adds or updates enrolment records.',
    description: IMPORT_TEXT,
    input: objectSchema(
      {
        records: {
          type: 'array',
          minItems: 1,
          maxItems: MAX_RECORDS,
          items: objectSchema(
            {
              id_comm: FIELD_ELEMENT,
              signup_id: textOf(MAX_ID_CHARACTERS, 0),
              orb_id: textOf(MAX_ID_CHARACTERS, 0),
              enrolled_at: GIVEN_TIME,
              status: { ...STATUS, default: 'active' },
            },
            ['status'],
          ),
        },
        replace: {
          ...FLAG,
          description: 'Accepts another signup_id or orb_id for a known id_comm instead of refusing it.',
        },
      },
      ['replace'],
    ),
    output: IMPORTED,
    answer: 'What was done with the records.',
    example: {
      records: [
        { id_comm: EXAMPLE_ID, signup_id: 's-7', orb_id: '0c1d2e3f', enrolled_at: '2024-01-01T00:00:00Z' },
      ],
    },
    run: async ({ now }, { records, replace }, { store }) =>
      await importRecords(records, (lines, observer) => {
        const options = { replaces: replace === true, isDryRun: false };
        return importEnrolments(lines, store.enrolments, options, now(), observer);
      }),
  }),
  getSignup: operation({
    at: 'GET /signups/{id_comm}',
    scope: 'read',
    summary: 'Returns an enrolment record, with the sub it is bound to and how many credentials were issued.',
    input: objectSchema({ id_comm: FIELD_ELEMENT }),
    output: objectSchema({ ...SIGNUP_MEMBERS, bindings: listOf(BINDING) }),
    invalid: 'signup.unknown',
    answer: 'The record.',
    errors: ['signup.unknown'],
    example: { id_comm: EXAMPLE_ID },
    async run(_services, { id_comm }, { store }) {
      const { enrolment, bindings } = await findEnrolment(store, id_comm);
      return { ...signupJson(enrolment), bindings: bindings.map(bindingJson) };
    },
  }),
  revokeSignup: operation({
    at: 'PATCH /signups/{id_comm}',
    scope: 'write',
    summary: 'Revokes an enrolment record: its holder is issued no more credentials.',
    description:
      'Credentials that were issued stay valid. An import that has the record as active undoes it.',
    input: objectSchema({ id_comm: FIELD_ELEMENT, status: REVOKED }),
    output: SIGNUP,
    invalid: 'signup.unknown',
    answer: 'The record.',
    errors: ['signup.unknown'],
    example: { id_comm: EXAMPLE_ID, status: 'revoked' },
    run: async ({ now }, { id_comm }, { store }) => signupJson(await revokeEnrolment(store, id_comm, now())),
  }),
  listOrbKeys: operation({
    at: 'GET /orb-keys',
    scope: 'read',
    summary: 'Lists the public keys of an orb.',
    input: objectSchema({ orb_id: textOf(MAX_ID_CHARACTERS) }),
    output: objectSchema({ items: listOf(ORB_KEY) }),
    answer: 'The keys.',
    example: { orb_id: '0c1d2e3f' },
    run: async (_services, { orb_id }, { store }) => ({
      items: (await store.orbKeys.list(orb_id)).map(orbKeyJson),
    }),
  }),
  importOrbKeys: operation({
    at: 'POST /orb-keys',
    scope: 'write',
    summary: 'Adds public keys of orbs.',
    description: `${IMPORT_TEXT} A key is a PEM, BEGIN PUBLIC KEY, on the curve secp256k1.`,
    input: objectSchema({
      records: {
        type: 'array',
        minItems: 1,
        maxItems: MAX_RECORDS,
        items: objectSchema({
          orb_id: textOf(MAX_ID_CHARACTERS, 0),
          keys: {
            type: 'array',
            minItems: 1,
            maxItems: MAX_KEYS,
            items: textOf(MAX_PEM_CHARACTERS, 0),
          },
        }),
      },
    }),
    output: IMPORTED,
    answer: 'What was done with the records.',
    example: { records: [{ orb_id: '0c1d2e3f', keys: ['-----BEGIN PUBLIC KEY-----'] }] },
    run: async ({ now }, { records }, { store }) =>
      await importRecords(records, (lines, observer) =>
        importOrbKeys(lines, store.orbKeys, false, now(), observer),
      ),
  }),
  revokeOrbKey: operation({
    at: 'PATCH /orb-keys/{orb_id}/{key_hash}',
    scope: 'write',
    summary: 'Revokes a key of an orb permanently: packages that it signed are refused.',
    input: objectSchema({ orb_id: textOf(MAX_ID_CHARACTERS), key_hash: KEY_HASH, status: REVOKED }),
    invalid: 'orb_key.unknown',
    answer: 'The key is revoked.',
    errors: ['orb_key.unknown'],
    example: { orb_id: '0c1d2e3f', key_hash: '0'.repeat(64), status: 'revoked' },
    async run(_services, { orb_id, key_hash }, { store }) {
      await revokeOrbKey(store.orbKeys, orb_id, key_hash);
    },
  }),
});

function signupJson(row: EnrolmentRow): TypeOf<typeof SIGNUP> {
  return {
    id_comm: toHex(row.idComm),
    signup_id: row.signupId,
    orb_id: row.orbId,
    enrolled_at: isoTime(row.enrolledAt),
    status: row.status,
    updated_at: isoTime(row.updatedAt),
  };
}

function bindingJson(binding: BindingRow): TypeOf<typeof BINDING> {
  return {
    issuer_schema_id: binding.issuerSchemaId,
    sub: toHex(binding.sub),
    genesis_issued_at: isoTime(binding.genesisIssuedAt),
    credentials: binding.issuedCount,
    last_issued_at: isoTime(binding.lastIssuedAt),
  };
}

function orbKeyJson(row: OrbKeyRow): TypeOf<typeof ORB_KEY> {
  return {
    key_hash: Buffer.from(row.keyHash).toString('hex'),
    status: row.status,
    added_at: isoTime(row.addedAt),
    pem: row.pem,
  };
}

/** Runs an import over records; each is a line. */
async function importRecords(
  records: readonly unknown[],
  run: (lines: AsyncIterable<string>, observer: ImportObserver) => Promise<ImportResult>,
): Promise<TypeOf<typeof IMPORTED>> {
  const refused: RefusedLine[] = [];
  const lines = async function* (): AsyncGenerator<string> {
    for (const record of records) yield `${JSON.stringify(record)}\n`;
  };
  const { added, updated, unchanged } = await run(lines(), {
    refuse: async (line) => {
      refused.push(line);
    },
    reportProgress: () => undefined,
    signal: new AbortController().signal,
  });
  const shown = refused.map(({ line, code, message }) => ({ index: line - 1, code, message }));
  return { added, updated, unchanged, refused: shown };
}
