import { appJson, type ShownApp } from '../../../apps/index.ts';
import { textTable } from '../../output/output.ts';
import type { Command } from '../../program/command.ts';

const HEAD = ['app_id', 'rp_id', 'status', 'verification', 'sign-in', 'name'];

/** `apps list`: lists every app of the registry and of the configuration. */
export const appsList: Command = {
  path: ['apps', 'list'],
  summary: 'list the apps',
  run: async (_input, context) =>
    await context.withStore(await context.loadConfig(), async ({ apps }) => {
      const shown = (await apps.list()).map((app) => appJson(app));
      const rows = shown.map((app) => [
        app.app_id,
        app.rp_id,
        app.status,
        app.verification,
        signInOf(app),
        app.name,
      ]);
      await context.print({ apps: shown }, textTable(HEAD, rows));
      return 0;
    }),
};

function signInOf({ redirect_uris, token_endpoint_auth_method }: ShownApp): string {
  if (redirect_uris.length === 0) return 'no';
  return token_endpoint_auth_method === 'none' ? 'public' : 'confidential';
}
