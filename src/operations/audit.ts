import { ADMIN_SCOPES, addAdminToken, prepareAdminToken, revokeAdminToken } from '../admin/admin-tokens.ts';
import type { TypeOf } from '../json.ts';
import type { AdminTokenRow } from '../storage/admin-tokens.ts';
import type { AuditRow } from '../storage/audit/audit-log.ts';
import { isoTime, NAME_PATTERN } from '../text.ts';
import { operation, operations } from './operation.ts';
import { PAGE_QUERY, pageOf, pageSchema, readPage } from './page.ts';
import {
  COUNT,
  listOf,
  NOTHING,
  OPTIONAL_TEXT,
  OPTIONAL_TIME,
  objectSchema,
  TEXT,
  TIME,
  textOf,
} from './schemas.ts';

const MAX_TEXT = 256;
const MAX_NAME_CHARACTERS = 64;
const MAX_TOKEN_SECONDS = 10 * 365 * 86_400;
const FILTER = textOf(MAX_TEXT);
const SCOPE = { type: 'string', enum: ADMIN_SCOPES } as const;

const ROW = objectSchema({
  seq: { ...COUNT, description: 'Rises by one with each row.' },
  at: TIME,
  actor: { ...TEXT, description: '`api:<token id>`, `cli:<user>`, `config` or `system`.' },
  action: TEXT,
  target: TEXT,
  request_id: OPTIONAL_TEXT,
  before: { description: 'Changed members before; null for a new object. Never a secret.' },
  after: { description: 'Changed members after; null for a removed object. Never a secret.' },
  hash: { ...TEXT, description: 'SHA-256 over the row and the hash before it, 64 hex digits.' },
});

const TOKEN_MEMBERS = {
  token_id: TEXT,
  name: TEXT,
  scope: SCOPE,
  created_at: TIME,
  expires_at: OPTIONAL_TIME,
} as const;
const TOKEN = objectSchema(TOKEN_MEMBERS);

/** Admin token for display, without its value. */
export type ShownAdminToken = TypeOf<typeof TOKEN>;

/** Operations of the audit log and of tokens of the admin API. */
export const AUDIT_OPERATIONS = operations('Audit', {
  listAudit: operation({
    at: 'GET /audit',
    scope: 'read',
    summary: 'Lists changes, the latest first.',
    input: objectSchema(
      {
        ...PAGE_QUERY,
        actor: { ...FILTER, description: 'Only changes by this actor.' },
        action: { ...FILTER, description: 'Only changes of this kind, for example app.updated.' },
        target: { ...FILTER, description: 'Only changes of this object, for example an app_id.' },
      },
      ['limit', 'cursor', 'actor', 'action', 'target'],
    ),
    output: pageSchema(ROW),
    answer: 'A page of changes.',
    example: { limit: 10 },
    async run(_services, input, { store }) {
      const { limit, after } = readPage(input, ['number']);
      const { limit: _limit, cursor: _cursor, ...filter } = input;
      const before = after === undefined ? undefined : Number(after[0]);
      const rows = await store.audit.list(filter, limit + 1, before);
      return pageOf(rows, limit, auditJson, ({ seq }) => [seq]);
    },
  }),
  listAdminTokens: operation({
    at: 'GET /tokens',
    scope: 'read',
    summary: 'Lists the live tokens of the admin API, the oldest first.',
    description: 'The setting admin.token is a token of scope write, too, which is not listed.',
    input: NOTHING,
    output: objectSchema({ items: listOf(TOKEN) }),
    answer: 'The tokens, without their values.',
    run: async ({ now }, _input, { store }) => ({
      items: (await store.adminTokens.list(now())).map(tokenJson),
    }),
  }),
  getOwnToken: operation({
    at: 'GET /tokens/self',
    scope: 'read',
    summary: 'Returns whose token the request has, and what it may do.',
    input: NOTHING,
    output: objectSchema({ actor: { ...TEXT, description: 'As in the audit log.' }, scope: SCOPE }),
    answer: 'The caller.',
    run: async (_services, _input, { caller: { actor, scope } }) => ({ actor, scope }),
  }),
  createAdminToken: operation({
    at: 'POST /tokens',
    scope: 'write',
    summary: 'Adds a token of the admin API.',
    description: 'The token is shown only in this answer.',
    input: objectSchema(
      {
        name: { type: 'string', minLength: 1, maxLength: MAX_NAME_CHARACTERS, pattern: NAME_PATTERN },
        scope: SCOPE,
        expires_in_seconds: {
          type: 'integer',
          minimum: 1,
          maximum: MAX_TOKEN_SECONDS,
          description:
            'It does not expire if absent. Required of a token that expires, which makes none that outlives it.',
        },
      },
      ['expires_in_seconds'],
    ),
    output: objectSchema({ ...TOKEN_MEMBERS, token: TEXT }),
    status: 201,
    invalid: 'admin_token.invalid',
    answer: 'The token.',
    isIdempotent: true,
    errors: ['admin_token.invalid'],
    example: { name: 'monitoring', scope: 'read' },
    async run({ now }, { name, scope, expires_in_seconds: seconds }, { caller, store, plan }) {
      const made = prepareAdminToken(
        {
          name,
          scope,
          ...(seconds === undefined ? {} : { expiresAt: now() + seconds * 1000 }),
          makerExpiresAt: caller.expiresAt,
        },
        now(),
      );
      const output = { ...tokenJson(made.row), token: made.value };
      await plan(output);
      await addAdminToken(store.adminTokens, made);
      return output;
    },
  }),
  revokeAdminToken: operation({
    at: 'DELETE /tokens/{token_id}',
    scope: 'write',
    summary: 'Removes a token of the admin API; it stops working immediately.',
    input: objectSchema({ token_id: textOf(64) }),
    invalid: 'admin_token.unknown',
    answer: 'The token is removed.',
    errors: ['admin_token.unknown'],
    example: { token_id: '{token_id}' },
    async run(_services, { token_id }, { store }) {
      await revokeAdminToken(store.adminTokens, token_id);
    },
  }),
});

/** Returns the members of a row of the audit log. */
export function auditJson(row: AuditRow): TypeOf<typeof ROW> {
  const { seq, at, actor, action, target, requestId, before, after, hash } = row;
  return {
    seq,
    at: isoTime(at),
    actor,
    action,
    target,
    request_id: requestId,
    before: before === null ? null : JSON.parse(before),
    after: after === null ? null : JSON.parse(after),
    hash,
  };
}

/** Returns the members of a token: never its value. */
function tokenJson({ tokenId, name, scope, createdAt, expiresAt }: AdminTokenRow): TypeOf<typeof TOKEN> {
  return {
    token_id: tokenId,
    name,
    scope,
    created_at: isoTime(createdAt),
    expires_at: expiresAt === null ? null : isoTime(expiresAt),
  };
}
