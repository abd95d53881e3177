import type { LoadedConfig } from '../../config/sources/loaded-config.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { importRoots, type RootKeyRules, rootLine } from '../../membership/roots/roots.ts';
import { ENVIRONMENTS, TREES } from '../../membership/roots/trees.ts';
import { ROOT_OPERATIONS } from '../../operations/roots.ts';
import type { Store } from '../../storage/store.ts';
import { isoTime, parseTime, TIME_FORMS } from '../../text.ts';
import { wholeImport } from '../input/run-import.ts';
import { readItems } from '../operations/call-operation.ts';
import { callingCommand, operationCommand, optionsOf } from '../operations/operation-command.ts';
import { textTable, writeText } from '../output/output.ts';
import type { Command } from '../program/command.ts';

const { listRoots, addRoot, pruneRoots } = ROOT_OPERATIONS;

const ENVIRONMENT_TEXT = 'production or staging';
const TREE_TEXT = `${TREES.slice(0, -1).join(', ')} or ${TREES.at(-1)}`;

/** `roots add`: adds one root, which becomes the current one of its tree unless it is a past one. */
const rootsAdd: Command = operationCommand(addRoot, {
  path: ['roots', 'add'],
  summary: 'add a Merkle root; it becomes the current one of its tree',
  details:
    'Times are ISO 8601 or milliseconds since the epoch. Works while the server runs; the root takes effect immediately. If the current root of the tree was received later, it enters as a past one. On a tree with a source --superseded-at is required.',
  members: {
    environment: { description: ENVIRONMENT_TEXT, isCheckedLater: true },
    tree: { description: TREE_TEXT, isCheckedLater: true },
    root: { flags: '--root <hex>', description: '0x and 1 to 64 hex digits' },
    received_at: { flags: '--received-at <time>', read: isoOf },
    superseded_at: { flags: '--superseded-at <time>', read: isoOf },
    key: { flags: '--key <id>' },
  },
  show({ source: _source, age_seconds: _age, ...root }, given, { context }) {
    if (root.superseded_at !== null && given.superseded_at === undefined) {
      context.note(
        `entered as a past root: the current root of its tree was received later, at ${root.superseded_at}`,
      );
    }
    return { json: root, text: JSON.stringify(root) };
  },
});

/** Returns a time in the form of requests; another text as it is, which the operation refuses. */
function isoOf(text: string): string {
  const time = parseTime(text);
  return time === undefined ? text : isoTime(time);
}

const FILTER = optionsOf(listRoots.input, {
  limit: null,
  cursor: null,
  order: null,
  environment: { description: ENVIRONMENT_TEXT },
  tree: { description: TREE_TEXT },
});

/** `roots list`: lists the registry of roots. */
const rootsList: Command = callingCommand({
  path: ['roots', 'list'],
  summary: 'list the Merkle roots',
  options: FILTER.options,
  prepare: async (input, context) => await FILTER.read(input, context),
  async run({ call }, filter) {
    const chosen = <T>(all: readonly T[], one: unknown): readonly T[] =>
      one === undefined ? all : all.filter((each) => each === one);
    const places = chosen(ENVIRONMENTS, filter.environment).flatMap((environment) =>
      chosen([...TREES].sort(), filter.tree).map((tree) => ({ environment, tree })),
    );
    const lists = await Promise.all(places.map((place) => readItems(call, listRoots, place)));
    const roots = lists.flat().map(({ age_seconds: _, ...root }) => root);
    const text = textTable(roots, {
      environment: 'environment',
      tree: 'tree',
      root: 'root',
      received: 'received_at',
      superseded: ({ superseded_at }) => superseded_at ?? 'current',
      source: 'source',
      key: 'key',
    });
    return { json: { roots }, text };
  },
});

/** `roots prune`: removes old superseded roots after confirmation. */
const rootsPrune: Command = operationCommand(pruneRoots, {
  path: ['roots', 'prune'],
  summary: 'remove superseded roots that were received before a time; current ones stay',
  members: {
    before: {
      flags: '--before <time>',
      description: 'ISO 8601 or milliseconds since the epoch',
      read(text) {
        const before = parseTime(text);
        if (before !== undefined) return isoTime(before);
        throw new ServiceError('cli.usage', `--before: expected ${TIME_FORMS}`);
      },
    },
  },
  confirm: ({ before }) => `Remove superseded roots received before ${before}?`,
  show: ({ removed }) => ({
    json: { removed },
    text: `removed ${removed} root${removed === 1 ? '' : 's'}`,
  }),
});

/** `roots import FILE`: adds the roots of a JSON Lines file in one transaction. */
const rootsImport: Command = wholeImport({
  path: ['roots', 'import'],
  summary: 'add Merkle roots from JSON Lines, all or none',
  details:
    'A line is {"environment", "tree", "root", "received_at", "superseded_at", "key"}. The first invalid line is reported and nothing is imported. The same file can be imported again. On a tree with a source each line needs superseded_at.',
  noun: 'root',
  importAll: (lines, store, loaded, context) =>
    importRoots(store.roots, lines, rootRules(loaded, store), context.now()),
});

/** `roots export`: prints the registry as JSON Lines in the format of `roots import`. */
const rootsExport: Command = {
  path: ['roots', 'export'],
  summary: 'print the Merkle roots as JSON Lines, in the format of roots import',
  run: async (_input, context) =>
    await context.withStore(await context.loadConfig(), async (store) => {
      for (const row of await store.roots.list()) {
        await writeText(context.stdout, `${rootLine(row)}\n`);
      }
      return 0;
    }),
};

/** Returns the rules by which added roots and their keys are checked. */
function rootRules(loaded: LoadedConfig, store: Store): RootKeyRules {
  const { profile, verify, roots } = loaded.config;
  return { store, profile, bindings: verify.keys, sources: roots.sources };
}

/** Commands of this file, in the order of the help. */
export const COMMANDS: readonly Command[] = [rootsAdd, rootsList, rootsImport, rootsExport, rootsPrune];
