import { keyLine } from '../../../membership/index.ts';
import { isoTime } from '../../../text.ts';
import { textTable } from '../../output/output.ts';
import type { Command } from '../../program/command.ts';
import { ISSUERS, type KeyGroup, OPRF } from './key-group.ts';

function listCommand({ kind, word }: KeyGroup, member: string, summary: string): Command {
  const head = ['environment', kind.idMember, 'x', 'y', 'updated', 'source'];
  return {
    path: [word, 'list'],
    summary,
    run: async (_input, context) =>
      await context.withStore(await context.loadConfig(), async (store) => {
        const keys = await kind.list(store.worldId4Keys);
        const shown = keys.map((key) => ({
          ...(JSON.parse(keyLine(kind, key)) as Record<string, string>),
          updated_at: isoTime(key.updatedAt),
          source: key.source,
        }));
        const rows = shown.map((key) => Object.values(key));
        await context.print({ [member]: shown }, textTable(head, rows));
        return 0;
      }),
  };
}

/** `issuers list`: lists the keys of issuers. */
export const issuersList: Command = listCommand(
  ISSUERS,
  'issuers',
  'list the keys of World ID 4.0 credential issuers',
);

/** `oprf-keys list`: lists the OPRF keys of relying parties. */
export const oprfKeysList: Command = listCommand(OPRF, 'oprf_keys', 'list the World ID 4.0 OPRF keys');
