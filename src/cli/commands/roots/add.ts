import type { LoadedConfig } from '../../../config/index.ts';
import { addRoots, parseRoot, type RootKeyRules, rootLine } from '../../../membership/index.ts';
import type { Store } from '../../../storage/index.ts';
import { isoTime } from '../../../text.ts';
import type { Command } from '../../program/command.ts';
import { TREE_CHOICES } from './list.ts';

/** `roots add`: adds one root, which becomes the current one of its tree unless it is a past one. */
export const rootsAdd: Command = {
  path: ['roots', 'add'],
  summary: 'add a Merkle root; it becomes the current one of its tree',
  details:
    'Times are ISO 8601 or milliseconds since the epoch. Works while the server runs; the root takes effect immediately. If the current root of the tree was received later, it enters as a past one. On a tree with a source --superseded-at is required.',
  options: [
    { flags: '--environment <environment>', description: 'production or staging', isRequired: true },
    {
      flags: '--tree <tree>',
      description: TREE_CHOICES,
      isRequired: true,
    },
    { flags: '--root <hex>', description: '0x and 1 to 64 hex digits', isRequired: true },
    { flags: '--received-at <time>', description: 'when it was inserted into its tree; now if absent' },
    { flags: '--superseded-at <time>', description: 'makes it a past root' },
    { flags: '--key <id>', description: 'verifying key of this root, instead of that of the tree' },
  ],
  run: async (input, context) => {
    const loaded = await context.loadConfig();
    const row = parseRoot(
      {
        environment: input.option('environment'),
        tree: input.option('tree'),
        root: input.option('root'),
        received_at: input.option('receivedAt'),
        superseded_at: input.option('supersededAt'),
        key: input.option('key'),
      },
      context.now(),
    );
    return await context.withStore(loaded, async (store) => {
      await addRoots(store.roots, [row], rootRules(loaded, store));
      const stored = (await store.roots.find(row.environment, row.tree, row.root)) ?? row;
      if (stored.supersededAt !== null && row.supersededAt === null)
        context.note(enteredAsPast(stored.supersededAt));
      const line = rootLine(stored);
      await context.print(JSON.parse(line), line);
      return 0;
    });
  },
};

function enteredAsPast(supersededAt: number): string {
  return `entered as a past root: the current root of its tree was received later, at ${isoTime(supersededAt)}`;
}

/** Returns the rules by which added roots and their keys are checked. */
export function rootRules(loaded: LoadedConfig, store: Store): RootKeyRules {
  const { profile, verify, roots } = loaded.config;
  return { store, profile, bindings: verify.keys, sources: roots.sources };
}
