import type { Engine } from '../../engine/engine.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { TypeOf } from '../../json.ts';
import type { OperationServices } from '../../operations/operation.ts';
import { MAX_PAGE_ITEMS } from '../../operations/page.ts';
import type { CommandContext, CommandInput, CommandOption } from '../program/command.ts';
import type { CallableOperation, CallOperation } from './call.ts';

/** Options of every command that calls operations. */
export const SERVER_OPTIONS: readonly CommandOption[] = [
  {
    flags: '--server <url>',
    description:
      'call the admin API of a running service, with the token of --token-file or admin.token, instead of the store',
  },
  {
    flags: '--token-file <file>',
    description: 'with --server: file with the admin token; - is standard input',
  },
];

/** Whether a command is to call a running service. */
export function namesServer(input: CommandInput): boolean {
  return input.option('server') !== undefined || input.option('tokenFile') !== undefined;
}

/**
 * Passes a function that calls operations to a command, and the settings unless `--server` names a service: the store is then
 * not needed.
 */
export async function withOperations<T>(
  input: CommandInput,
  context: CommandContext,
  use: (call: CallOperation, config?: OperationServices['config']) => Promise<T>,
): Promise<T> {
  if (namesServer(input)) {
    const { createServerCall } = await import('./call-server.ts');
    return await use(await createServerCall(input.option('server'), input, context));
  }
  const loaded = await context.loadConfig();
  const { config } = loaded;
  return await context.withStore(loaded, async (store) => {
    let engine: Promise<Engine> | undefined;
    const services: OperationServices = {
      config,
      store,
      now: context.now,
      appsOf: ({ apps }) => apps,
      async engine() {
        const { createEngine } = await import('../../engine/create-engine.ts');
        engine ??= createEngine({ ...config.engine, workers: 0 });
        return await engine;
      },
    };
    // Changes have the author with whom the command has opened the store.
    const caller = { actor: 'cli', scope: 'write', expiresAt: null } as const;
    const plan = async (): Promise<void> => undefined;
    try {
      return await use(
        async (operation, values, { version } = {}) =>
          (await operation.run(services, values, { caller, version, store, plan })) as never,
        config,
      );
    } finally {
      await (await engine)?.close();
    }
  });
}

/** Operation that returns a list page by page. */
type PagedOperation<Item> = CallableOperation & {
  run(
    ...parameters: never
  ): Promise<{ readonly items: readonly Item[]; readonly next_cursor: string | null }>;
};

/** Reads the items of a list, page by page. @param most - Most items to read. */
export async function readItems<Item, O extends PagedOperation<Item>>(
  call: CallOperation,
  operation: O & PagedOperation<Item>,
  input: Omit<TypeOf<O['input']>, 'limit'>,
  most: number = Number.POSITIVE_INFINITY,
): Promise<Item[]> {
  const items: Item[] = [];
  let given = input as TypeOf<O['input']> & { readonly cursor?: string };
  for (;;) {
    const limit = Math.min(most - items.length, MAX_PAGE_ITEMS);
    const page = (await call(operation, { ...given, limit })) as Awaited<
      ReturnType<PagedOperation<Item>['run']>
    >;
    items.push(...page.items);
    if (page.next_cursor === null || items.length >= most) return items;
    if (page.items.length === 0 || page.next_cursor === given.cursor) {
      throw new ServiceError('cli.server_answer', 'a list that does not end');
    }
    given = { ...given, cursor: page.next_cursor };
  }
}
