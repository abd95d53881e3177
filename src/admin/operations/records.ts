import type { JsonObject, JsonSchema } from '../../json.ts';
import { findEnrolment, importEnrolments, revokeEnrolment } from '../../refresh/records/enrolments.ts';
import type { ImportObserver, ImportResult, RefusedLine } from '../../refresh/records/import-lines.ts';
import { importOrbKeys, revokeOrbKey } from '../../refresh/records/orb-keys.ts';
import { bindingJson, orbKeyJson, signupJson } from '../forms/index.ts';
import type { AdminAnswer, Operation } from '../operation.ts';
import { PAGE_QUERY, pageOf, pageSchema, readPage } from './page.ts';
import { COUNT, FIELD_ELEMENT, GIVEN_TIME, HEX32, listOf, objectSchema, TIME, textOf } from './schemas.ts';

const TAG = 'Credential refresh';
const MAX_RECORDS = 500;
const MAX_ID_CHARACTERS = 256;
const MAX_KEYS = 16;
const MAX_PEM_CHARACTERS = 4096;
const EXAMPLE_ID = '0x0000000000000000000000000000000000000000000000000000000000000007';

const STATUS: JsonSchema = { type: 'string', enum: ['active', 'revoked'] };
const REVOKED = objectSchema({ status: { type: 'string', enum: ['revoked'] } });
const SIGNUP_MEMBERS: Readonly<Record<string, JsonSchema>> = {
  ...{ id_comm: HEX32, signup_id: { type: 'string' }, orb_id: { type: 'string' } },
  ...{ enrolled_at: TIME, status: STATUS, updated_at: TIME },
};
const BINDING = objectSchema({
  issuer_schema_id: { type: 'string', description: 'A u64 in decimal.' },
  ...{ sub: HEX32, genesis_issued_at: TIME, credentials: COUNT, last_issued_at: TIME },
});
const ORB_KEY = objectSchema({
  key_hash: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the key as DER.' },
  ...{ status: STATUS, added_at: TIME, pem: { type: 'string' } },
});
const IMPORTED = objectSchema({
  ...{ added: COUNT, updated: COUNT, unchanged: COUNT },
  refused: listOf(
    objectSchema({
      index: { ...COUNT, description: 'Index of the record in the request.' },
      ...{ code: { type: 'string' }, message: { type: 'string' } },
    }),
  ),
});
const IMPORT_TEXT =
  'A refused record does not stop the others. Importing the same records again changes nothing.';

/** Operations of enrolment records and of orb keys. */
export const RECORD_OPERATIONS: readonly Operation[] = [
  {
    ...{ id: 'listSignups', method: 'GET', path: '/signups', scope: 'read', tag: TAG },
    summary: 'Lists the enrolment records.',
    query: PAGE_QUERY,
    response: {
      status: 200,
      description: 'A page of records.',
      schema: pageSchema(objectSchema(SIGNUP_MEMBERS)),
    },
    errors: [],
    example: {},
    async run(_services, request) {
      const { limit, after } = readPage(request, ['string']);
      const place = after && new Uint8Array(Buffer.from(String(after[0]), 'hex'));
      const rows = await request.store.enrolments.page(limit + 1, place);
      return pageOf(rows, limit, signupJson, ({ idComm }) => [Buffer.from(idComm).toString('hex')]);
    },
  },
  {
    ...{ id: 'importSignups', method: 'POST', path: '/signups', scope: 'write', tag: TAG },
    summary: 'Adds or updates enrolment records.',
    description: IMPORT_TEXT,
    body: objectSchema(
      {
        records: {
          ...{ type: 'array', minItems: 1, maxItems: MAX_RECORDS },
          items: objectSchema(
            {
              ...{ id_comm: FIELD_ELEMENT, signup_id: textOf(MAX_ID_CHARACTERS, 0) },
              orb_id: textOf(MAX_ID_CHARACTERS, 0),
              ...{ enrolled_at: GIVEN_TIME, status: { ...STATUS, default: 'active' } },
            },
            ['status'],
          ),
        },
        replace: {
          type: 'boolean',
          description: 'Accepts another signup_id or orb_id for a known id_comm instead of refusing it.',
        },
      },
      ['replace'],
    ),
    response: { status: 200, description: 'What was done with the records.', schema: IMPORTED },
    errors: [],
    example: {
      body: {
        records: [
          { id_comm: EXAMPLE_ID, signup_id: 's-7', orb_id: '0c1d2e3f', enrolled_at: '2024-01-01T00:00:00Z' },
        ],
      },
    },
    run: async ({ now }, { body, store }) =>
      await importRecords(body, (lines, observer) => {
        const options = { replaces: body.replace === true, isDryRun: false };
        return importEnrolments(lines, store.enrolments, options, now(), observer);
      }),
  },
  {
    ...{ id: 'getSignup', method: 'GET', path: '/signups/{id_comm}', scope: 'read', tag: TAG },
    summary: 'Returns an enrolment record, with the sub it is bound to and how many credentials were issued.',
    params: { id_comm: FIELD_ELEMENT },
    response: {
      status: 200,
      description: 'The record.',
      schema: objectSchema({ ...SIGNUP_MEMBERS, bindings: listOf(BINDING) }),
    },
    errors: ['signup.unknown'],
    example: { params: { id_comm: EXAMPLE_ID } },
    async run(_services, { params, store }) {
      const { enrolment, bindings } = await findEnrolment(store, params.id_comm ?? '');
      return { status: 200, body: { ...signupJson(enrolment), bindings: bindings.map(bindingJson) } };
    },
  },
  {
    ...{ id: 'revokeSignup', method: 'PATCH', path: '/signups/{id_comm}', scope: 'write', tag: TAG },
    summary: 'Revokes an enrolment record: its holder is issued no more credentials.',
    description:
      'Credentials that were issued stay valid. An import that has the record as active undoes it.',
    params: { id_comm: FIELD_ELEMENT },
    body: REVOKED,
    response: { status: 200, description: 'The record.', schema: objectSchema(SIGNUP_MEMBERS) },
    errors: ['signup.unknown'],
    example: { params: { id_comm: EXAMPLE_ID }, body: { status: 'revoked' } },
    run: async ({ now }, { params, store }) => ({
      status: 200,
      body: signupJson(await revokeEnrolment(store, params.id_comm ?? '', now())),
    }),
  },
  {
    ...{ id: 'listOrbKeys', method: 'GET', path: '/orb-keys', scope: 'read', tag: TAG },
    summary: 'Lists the public keys of an orb.',
    query: { orb_id: textOf(MAX_ID_CHARACTERS) },
    requiredQuery: ['orb_id'],
    response: { status: 200, description: 'The keys.', schema: objectSchema({ items: listOf(ORB_KEY) }) },
    errors: [],
    example: { query: { orb_id: '0c1d2e3f' } },
    run: async (_services, { query, store }) => ({
      status: 200,
      body: { items: (await store.orbKeys.list(String(query.orb_id))).map(orbKeyJson) },
    }),
  },
  {
    ...{ id: 'importOrbKeys', method: 'POST', path: '/orb-keys', scope: 'write', tag: TAG },
    summary: 'Adds public keys of orbs.',
    description: `${IMPORT_TEXT} A key is a PEM, BEGIN PUBLIC KEY, on the curve secp256k1.`,
    body: objectSchema({
      records: {
        ...{ type: 'array', minItems: 1, maxItems: MAX_RECORDS },
        items: objectSchema({
          orb_id: textOf(MAX_ID_CHARACTERS, 0),
          keys: {
            ...{ type: 'array', minItems: 1, maxItems: MAX_KEYS },
            items: textOf(MAX_PEM_CHARACTERS, 0),
          },
        }),
      },
    }),
    response: { status: 200, description: 'What was done with the records.', schema: IMPORTED },
    errors: [],
    example: { body: { records: [{ orb_id: '0c1d2e3f', keys: ['-----BEGIN PUBLIC KEY-----'] }] } },
    run: async ({ now }, { body, store }) =>
      await importRecords(body, (lines, observer) =>
        importOrbKeys(lines, store.orbKeys, false, now(), observer),
      ),
  },
  {
    ...{ id: 'revokeOrbKey', method: 'PATCH', path: '/orb-keys/{orb_id}/{key_hash}', scope: 'write' },
    tag: TAG,
    summary: 'Revokes a key of an orb permanently: packages that it signed are refused.',
    params: {
      orb_id: textOf(MAX_ID_CHARACTERS),
      key_hash: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    },
    body: REVOKED,
    response: { status: 204, description: 'The key is revoked.' },
    errors: ['orb_key.unknown'],
    example: { params: { orb_id: '0c1d2e3f', key_hash: '0'.repeat(64) }, body: { status: 'revoked' } },
    async run(_services, { params, store }) {
      await revokeOrbKey(store.orbKeys, params.orb_id ?? '', params.key_hash ?? '');
      return { status: 204 };
    },
  },
];

/** Runs an import over the member `records` of a body; each record is a line. */
async function importRecords(
  { records }: JsonObject,
  run: (lines: AsyncIterable<string>, observer: ImportObserver) => Promise<ImportResult>,
): Promise<AdminAnswer> {
  const list = records as readonly unknown[];
  const refused: RefusedLine[] = [];
  const lines = async function* (): AsyncGenerator<string> {
    for (const record of list) yield `${JSON.stringify(record)}\n`;
  };
  const { added, updated, unchanged } = await run(lines(), {
    refuse: async (line) => {
      refused.push(line);
    },
    reportProgress: () => undefined,
    signal: new AbortController().signal,
  });
  const shown = refused.map(({ line, code, message }) => ({ index: line - 1, code, message }));
  return { status: 200, body: { added, updated, unchanged, refused: shown } };
}
