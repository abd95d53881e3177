import { orbKeyJson } from '../../../admin/forms/index.ts';
import { textTable } from '../../output/output.ts';
import type { Command } from '../../program/command.ts';

/** `orb-keys list ORB_ID`: lists the public keys of an orb. */
export const orbKeysList: Command = {
  path: ['orb-keys', 'list'],
  summary: 'list the public keys of an orb',
  details: `The hash is that of the key as DER: openssl pkey -pubin -in key.pem -outform DER | sha256sum
With --json the output includes the PEM of each key.`,
  arguments: [{ name: 'orb_id', description: 'id of the orb' }],
  run: async (input, context) =>
    await context.withStore(await context.loadConfig(), async ({ orbKeys }) => {
      const keys = (await orbKeys.list(input.argument('orb_id'))).map(orbKeyJson);
      const rows = keys.map((key) => [key.key_hash, key.status, key.added_at]);
      await context.print(
        { keys },
        rows.length === 0 ? 'the orb has no keys' : textTable(['key hash', 'status', 'added'], rows),
      );
      return 0;
    }),
};
