import { AUDIT_OPERATIONS, type ShownAdminToken } from '../../operations/audit.ts';
import { durationMs } from '../input/duration.ts';
import { operationCommand } from '../operations/operation-command.ts';
import { textTable } from '../output/output.ts';
import type { Command } from '../program/command.ts';

const { listAdminTokens, createAdminToken, revokeAdminToken } = AUDIT_OPERATIONS;

/** `admin-tokens add`: adds a token of the admin API and shows it once. */
const adminTokensAdd: Command = operationCommand(createAdminToken, {
  path: ['admin-tokens', 'add'],
  summary: 'add a token of the admin API',
  details: 'The token is shown once and never again. Running servers accept it immediately.',
  members: {
    name: { description: 'what the token is for' },
    scope: { description: 'read, or write to change something, too' },
    expires_in_seconds: {
      flags: '--expires-in <time>',
      description: 'e.g. 24h or 90d; it does not expire if absent',
      read: (text) => (durationMs('expires-in', text) ?? 0) / 1000,
    },
  },
  show(made) {
    const { token, ...row } = made;
    const text = `${tokenTable([row])}\n\ntoken  ${token}\n\nSave the token now: it is not shown again.`;
    return { json: made, text };
  },
});

/** `admin-tokens list`: lists the live tokens of the admin API. */
const adminTokensList: Command = operationCommand(listAdminTokens, {
  path: ['admin-tokens', 'list'],
  summary: 'list the tokens of the admin API, the oldest first',
  details: 'The setting admin.token is a token of scope write, too, which is not listed.',
  show: ({ items }) => ({ json: { tokens: items }, text: tokenTable(items) }),
});

/** `admin-tokens revoke ID`: removes a token of the admin API after confirmation. */
const adminTokensRevoke: Command = operationCommand(revokeAdminToken, {
  path: ['admin-tokens', 'revoke'],
  summary: 'remove a token of the admin API: servers refuse it immediately',
  arguments: { token_id: { name: 'id', description: 'the id, see `admin-tokens list`' } },
  confirm: ({ token_id }) => `Revoke the admin token ${token_id}?`,
  show: (_output, { token_id }) => ({ json: { revoked: token_id }, text: `revoked ${token_id}` }),
});

function tokenTable(tokens: readonly ShownAdminToken[]): string {
  return textTable(tokens, {
    id: 'token_id',
    scope: 'scope',
    made: 'created_at',
    ends: 'expires_at',
    name: 'name',
  });
}

/** Commands of this file, in the order of the help. */
export const COMMANDS: readonly Command[] = [adminTokensAdd, adminTokensList, adminTokensRevoke];
