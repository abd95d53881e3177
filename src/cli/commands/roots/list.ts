import { ServiceError } from '../../../errors/index.ts';
import { isEnvironment, isTree, rootJson, TREES } from '../../../membership/index.ts';
import { toHex } from '../../../semaphore/index.ts';
import type { RootRow } from '../../../storage/index.ts';
import { isoTime } from '../../../text.ts';
import { textTable } from '../../output/output.ts';
import type { Command, CommandInput } from '../../program/command.ts';

/** The trees, for the help and for messages. */
export const TREE_CHOICES: string = `${TREES.slice(0, -1).join(', ')} or ${TREES.at(-1)}`;

const HEAD = ['environment', 'tree', 'root', 'received', 'superseded', 'source', 'key'];

function filterOf(input: CommandInput): { environment?: RootRow['environment']; tree?: RootRow['tree'] } {
  const environment = input.option('environment');
  const tree = input.option('tree');
  if (environment !== undefined && !isEnvironment(environment)) {
    throw new ServiceError('cli.usage', '--environment: expected production or staging');
  }
  if (tree !== undefined && !isTree(tree)) {
    throw new ServiceError('cli.usage', `--tree: expected ${TREE_CHOICES}`);
  }
  return { ...(environment === undefined ? {} : { environment }), ...(tree === undefined ? {} : { tree }) };
}

/** `roots list`: lists the registry of roots. */
export const rootsList: Command = {
  path: ['roots', 'list'],
  summary: 'list the Merkle roots',
  options: [
    { flags: '--environment <environment>', description: 'production or staging' },
    { flags: '--tree <tree>', description: TREE_CHOICES },
  ],
  run: async (input, context) => {
    const filter = filterOf(input);
    return await context.withStore(await context.loadConfig(), async (store) => {
      const roots = await store.roots.list(filter);
      const rows = roots.map((row) => [
        row.environment,
        row.tree,
        toHex(row.root),
        isoTime(row.receivedAt),
        row.supersededAt === null ? 'current' : isoTime(row.supersededAt),
        row.source,
        row.keyId ?? '-',
      ]);
      const shown = roots.map((row) => ({ ...rootJson(row), source: row.source }));
      await context.print({ roots: shown }, textTable(HEAD, rows));
      return 0;
    });
  },
};
