import { verifyingKeyJson } from '../../../admin/forms/index.ts';
import { listKeys } from '../../../membership/index.ts';
import { textTable } from '../../output/output.ts';
import type { Command } from '../../program/command.ts';

/** `vkey list`: lists built-in and imported verifying keys. */
export const vkeyList: Command = {
  path: ['vkey', 'list'],
  summary: 'list the verifying keys',
  run: async (_input, context) => {
    const loaded = await context.loadConfig();
    return await context.withStore(loaded, async (store) => {
      const keys = (await listKeys(loaded.config.profile, store.verifyingKeys)).map(verifyingKeyJson);
      const rows = keys.map((key) => [
        key.id,
        key.origin,
        String(key.depth ?? '-'),
        String(key.inputs),
        key.fingerprint,
      ]);
      await context.print({ keys }, textTable(['id', 'origin', 'depth', 'inputs', 'fingerprint'], rows));
      return 0;
    });
  },
};
