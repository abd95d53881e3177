import {
  ADMIN_SCOPES,
  type AdminScope,
  addAdminToken,
  prepareAdminToken,
} from '../../../admin/admin-tokens.ts';
import { adminTokenJson } from '../../../admin/forms/index.ts';
import { durationMs } from '../../input/duration.ts';
import type { Command } from '../../program/command.ts';
import { adminTokenText } from './list.ts';

/** `admin-tokens add`: adds a token of the admin API and shows it once. */
export const adminTokensAdd: Command = {
  path: ['admin-tokens', 'add'],
  summary: 'add a token of the admin API',
  details: 'The token is shown once and never again. Running servers accept it immediately.',
  options: [
    { flags: '--name <name>', description: 'what the token is for', isRequired: true },
    {
      flags: '--scope <scope>',
      description: 'read, or write to change something, too',
      choices: ADMIN_SCOPES,
      isRequired: true,
    },
    { flags: '--expires-in <time>', description: 'e.g. 24h or 90d; it does not expire if absent' },
  ],
  run: async (input, context) => {
    const now = context.now();
    const lifetimeMs = durationMs('expires-in', input.option('expiresIn'));
    const properties = {
      name: input.option('name') ?? '',
      scope: input.option('scope') as AdminScope,
      ...(lifetimeMs === undefined ? {} : { expiresAt: now + lifetimeMs }),
    };
    return await context.withStore(await context.loadConfig(), async ({ adminTokens }) => {
      const made = prepareAdminToken(properties, now);
      await addAdminToken(adminTokens, made);
      const { row, value } = made;
      const text = `${adminTokenText([row])}\n\ntoken  ${value}\n\nSave the token now: it is not shown again.`;
      await context.print({ ...adminTokenJson(row), token: value }, text);
      return 0;
    });
  },
};
