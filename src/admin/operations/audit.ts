import type { JsonSchema } from '../../json.ts';
import { NAME_PATTERN } from '../../text.ts';
import { ADMIN_SCOPES, addAdminToken, prepareAdminToken, revokeAdminToken } from '../admin-tokens.ts';
import { adminTokenJson, auditJson } from '../forms/index.ts';
import type { AdminAnswer, Operation } from '../operation.ts';
import { PAGE_QUERY, pageOf, pageSchema, readPage } from './page.ts';
import { COUNT, listOf, OPTIONAL_TEXT, OPTIONAL_TIME, objectSchema, TIME, textOf } from './schemas.ts';

const TAG = 'Audit';
const MAX_TEXT = 256;
const MAX_NAME_CHARACTERS = 64;
const MAX_TOKEN_SECONDS = 10 * 365 * 86_400;
const FILTER: JsonSchema = textOf(MAX_TEXT);

const ROW = objectSchema({
  seq: { ...COUNT, description: 'Rises by one with each row.' },
  at: TIME,
  actor: { type: 'string', description: '`api:<token id>`, `cli:<user>`, `config` or `system`.' },
  ...{ action: { type: 'string' }, target: { type: 'string' }, request_id: OPTIONAL_TEXT },
  before: { description: 'Changed members before; null for a new object. Never a secret.' },
  after: { description: 'Changed members after; null for a removed object. Never a secret.' },
  hash: { type: 'string', description: 'SHA-256 over the row and the hash before it, 64 hex digits.' },
});

const TOKEN_MEMBERS: Readonly<Record<string, JsonSchema>> = {
  ...{ token_id: { type: 'string' }, name: { type: 'string' } },
  scope: { type: 'string', enum: ADMIN_SCOPES },
  ...{ created_at: TIME, expires_at: OPTIONAL_TIME },
};

/** Operations of the audit log and of tokens of the admin API. */
export const AUDIT_OPERATIONS: readonly Operation[] = [
  {
    ...{ id: 'listAudit', method: 'GET', path: '/audit', scope: 'read', tag: TAG },
    summary: 'Lists changes, the latest first.',
    query: {
      ...PAGE_QUERY,
      actor: { ...FILTER, description: 'Only changes by this actor.' },
      action: { ...FILTER, description: 'Only changes of this kind, for example app.updated.' },
      target: { ...FILTER, description: 'Only changes of this object, for example an app_id.' },
    },
    response: { status: 200, description: 'A page of changes.', schema: pageSchema(ROW) },
    errors: [],
    example: { query: { limit: '10' } },
    async run(_services, request) {
      const { limit, after } = readPage(request, ['number']);
      const { actor, action, target } = request.query;
      const filter = {
        ...(actor === undefined ? {} : { actor: String(actor) }),
        ...(action === undefined ? {} : { action: String(action) }),
        ...(target === undefined ? {} : { target: String(target) }),
      };
      const before = after === undefined ? undefined : Number(after[0]);
      const rows = await request.store.audit.list(filter, limit + 1, before);
      return pageOf(rows, limit, auditJson, ({ seq }) => [seq]);
    },
  },
  {
    ...{ id: 'listAdminTokens', method: 'GET', path: '/tokens', scope: 'read', tag: TAG },
    summary: 'Lists the live tokens of the admin API, the oldest first.',
    description: 'The setting admin.token is a token of scope write, too, which is not listed.',
    response: {
      status: 200,
      description: 'The tokens, without their values.',
      schema: objectSchema({ items: listOf(objectSchema(TOKEN_MEMBERS)) }),
    },
    errors: [],
    example: {},
    run: async ({ now }, { store }) => ({
      status: 200,
      body: { items: (await store.adminTokens.list(now())).map(adminTokenJson) },
    }),
  },
  {
    ...{ id: 'getOwnToken', method: 'GET', path: '/tokens/self', scope: 'read', tag: TAG },
    summary: 'Returns whose token the request has, and what it may do.',
    response: {
      status: 200,
      description: 'The caller.',
      schema: objectSchema({
        actor: { type: 'string', description: 'As in the audit log.' },
        scope: { type: 'string', enum: ADMIN_SCOPES },
      }),
    },
    errors: [],
    example: {},
    run: async (_services, { caller: { actor, scope } }) => ({ status: 200, body: { actor, scope } }),
  },
  {
    ...{ id: 'createAdminToken', method: 'POST', path: '/tokens', scope: 'write', tag: TAG },
    summary: 'Adds a token of the admin API.',
    description: 'The token is shown only in this answer.',
    body: objectSchema(
      {
        name: { type: 'string', minLength: 1, maxLength: MAX_NAME_CHARACTERS, pattern: NAME_PATTERN },
        scope: { type: 'string', enum: ADMIN_SCOPES },
        expires_in_seconds: {
          ...{ type: 'integer', minimum: 1, maximum: MAX_TOKEN_SECONDS },
          description:
            'It does not expire if absent. Required of a token that expires, which makes none that outlives it.',
        },
      },
      ['expires_in_seconds'],
    ),
    isIdempotent: true,
    response: {
      status: 201,
      description: 'The token.',
      schema: objectSchema({ ...TOKEN_MEMBERS, token: { type: 'string' } }),
    },
    errors: ['admin_token.invalid'],
    example: { body: { name: 'monitoring', scope: 'read' } },
    async run({ now }, { caller, body, store, plan }) {
      const { name, scope, expires_in_seconds: seconds } = body;
      const made = prepareAdminToken(
        {
          name: String(name),
          scope: scope === 'write' ? 'write' : 'read',
          ...(seconds === undefined ? {} : { expiresAt: now() + Number(seconds) * 1000 }),
          makerExpiresAt: caller.expiresAt,
        },
        now(),
      );
      const answer: AdminAnswer = { status: 201, body: { ...adminTokenJson(made.row), token: made.value } };
      await plan(answer);
      await addAdminToken(store.adminTokens, made);
      return answer;
    },
  },
  {
    ...{ id: 'revokeAdminToken', method: 'DELETE', path: '/tokens/{token_id}', scope: 'write', tag: TAG },
    summary: 'Removes a token of the admin API; it stops working immediately.',
    params: { token_id: textOf(64) },
    response: { status: 204, description: 'The token is removed.' },
    errors: ['admin_token.unknown'],
    example: { params: { token_id: '{token_id}' } },
    async run(_services, { params, store }) {
      await revokeAdminToken(store.adminTokens, params.token_id ?? '');
      return { status: 204 };
    },
  },
];
