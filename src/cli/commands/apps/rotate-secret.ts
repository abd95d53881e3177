import { appJson, DEFAULT_OVERLAP_MS, rotateSecret, secretKeyOf } from '../../../apps/index.ts';
import { durationMs } from '../../input/duration.ts';
import type { Command } from '../../program/command.ts';
import { appText, newSecretText } from './show-app.ts';

/** `apps rotate-secret ID`: adds a new secret and lets the one in use expire. */
export const appsRotateSecret: Command = {
  path: ['apps', 'rotate-secret'],
  summary: 'give a client a new secret and let the old one expire',
  details: `The new secret is shown once and never again; running servers accept it within storage.cacheSeconds.
A client has at most two live secrets.`,
  arguments: [{ name: 'id', description: 'app_id or rp_id' }],
  options: [
    {
      flags: '--overlap <time>',
      description: 'how long the old secret stays valid, e.g. 90s, 30m, 24h, 7d; 24h if absent',
    },
  ],
  run: async (input, context) => {
    const overlapMs = durationMs('overlap', input.option('overlap')) ?? DEFAULT_OVERLAP_MS;
    const { config, ...loaded } = await context.loadConfig();
    return await context.withStore({ config, ...loaded }, async ({ apps }) => {
      const now = context.now();
      const { app, secret } = await rotateSecret(apps, input.argument('id'), {
        secretKey: () => secretKeyOf(config),
        overlapMs,
        isDevelopment: config.profile !== 'production',
        now,
      });
      const secrets = await apps.listSecrets(app.appId, now);
      const shown = { ...appJson(app, secrets), secret_id: secret.row.secretId, client_secret: secret.value };
      await context.print(shown, `${appText(app, secrets)}\n${newSecretText(secret.value)}`);
      return 0;
    });
  },
};
