import { refreshFamilyJson } from '../../../admin/forms/index.ts';
import { findApp } from '../../../apps/index.ts';
import { liveFamilies } from '../../../oidc/refresh-tokens.ts';
import { textTable } from '../../output/output.ts';
import type { Command } from '../../program/command.ts';

const MAX_ROWS = 1000;
const HEAD = ['family', 'person', 'level', 'scope', 'begun', 'last used', 'ends'];

/** `refresh-tokens list`: lists the families of refresh tokens of an app. */
export const refreshTokensList: Command = {
  path: ['refresh-tokens', 'list'],
  summary: 'list the families of refresh tokens of an app, the latest first',
  details: `At most ${MAX_ROWS}. A family is the token that came with a code and those that replaced it. Neither tokens nor
subjects are shown: families with the same person belong to one subject.`,
  options: [{ flags: '--app <id>', description: 'app_id or rp_id of the app', isRequired: true }],
  run: async (input, context) => {
    const loaded = await context.loadConfig();
    return await context.withStore(loaded, async ({ apps, refreshTokens }) => {
      const { appId } = await findApp(apps, input.option('app') ?? '');
      const rows = await liveFamilies(refreshTokens, loaded.config).page(appId, MAX_ROWS, context.now());
      const families = rows.map(refreshFamilyJson);
      const table = families.map((family) => [
        ...[family.family_id, family.person, family.acr, family.scope],
        ...[family.created_at, family.last_used_at, family.expires_at],
      ]);
      await context.print({ refresh_tokens: families }, textTable(HEAD, table));
      return 0;
    });
  },
};
