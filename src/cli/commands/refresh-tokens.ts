import { ServiceError } from '../../errors/service-error.ts';
import { APP_OPERATIONS } from '../../operations/apps.ts';
import { REFRESH_TOKEN_OPERATIONS } from '../../operations/refresh-tokens.ts';
import { readItems } from '../operations/call-operation.ts';
import { callingCommand, YES_OPTION } from '../operations/operation-command.ts';
import { textTable } from '../output/output.ts';
import type { Command } from '../program/command.ts';

const { listRefreshTokens, revokeRefreshToken, revokeRefreshTokens } = REFRESH_TOKEN_OPERATIONS;

const MAX_ROWS = 1000;
const COLUMNS = {
  family: 'family_id',
  person: 'person',
  level: 'acr',
  scope: 'scope',
  begun: 'created_at',
  'last used': 'last_used_at',
  ends: 'expires_at',
} as const;
const APP_OPTION = { flags: '--app <id>', description: 'app_id or rp_id of the app', isRequired: true };

/** `refresh-tokens list`: lists the families of refresh tokens of an app. */
const refreshTokensList: Command = callingCommand({
  path: ['refresh-tokens', 'list'],
  summary: 'list the families of refresh tokens of an app, the latest first',
  details: `At most ${MAX_ROWS}. A family is the token that came with a code and those that replaced it. Neither tokens nor
subjects are shown: families with the same person belong to one subject.`,
  options: [APP_OPTION],
  async run({ input, call }) {
    const app_id = input.option('app') ?? '';
    const families = await readItems(call, listRefreshTokens, { app_id }, MAX_ROWS);
    return { json: { refresh_tokens: families }, text: textTable(families, COLUMNS) };
  },
});

/** `refresh-tokens revoke`: ends one family of refresh tokens of an app, or all, after confirmation. */
const refreshTokensRevoke: Command = callingCommand({
  path: ['refresh-tokens', 'revoke'],
  summary: 'end one family of refresh tokens of an app, or all, with their access tokens',
  options: [
    APP_OPTION,
    { flags: '--family <id>', description: 'the family, as `refresh-tokens list` shows it' },
    { flags: '--all', description: 'all families of the app' },
    YES_OPTION,
  ],
  prepare(input) {
    if ((input.option('family') === undefined) === !input.has('all')) {
      throw new ServiceError('cli.usage', 'expected either --family or --all');
    }
  },
  async run({ input, context, call }) {
    const family_id = input.option('family');
    const { app_id, name } = await call(APP_OPERATIONS.getApp, { app_id: input.option('app') ?? '' });
    const what = family_id === undefined ? 'all refresh tokens' : `the refresh tokens ${family_id}`;
    await context.confirm(`End ${what} of app ${app_id} (${name})?`);
    if (family_id !== undefined) await call(revokeRefreshToken, { app_id, family_id });
    const revoked = family_id === undefined ? (await call(revokeRefreshTokens, { app_id })).revoked : 1;
    return { json: { app_id, revoked }, text: `ended ${revoked} families of refresh tokens` };
  },
});

/** Commands of this file, in the order of the help. */
export const COMMANDS: readonly Command[] = [refreshTokensList, refreshTokensRevoke];
