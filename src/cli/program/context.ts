import { userInfo } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { LoadOptions } from '../../config/sources/load.ts';
import type { LoadedConfig } from '../../config/sources/loaded-config.ts';
import { proxyFinder } from '../../config/values/proxy-rules.ts';
import { useProxies } from '../../egress-proxies.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Store } from '../../storage/store.ts';
import { printable, writeText } from '../output/output.ts';
import type { BuildApp, CommandContext, FindHttpLibrary, StoreUse } from './command.ts';
import { explainAbsentStore, placeOfStore, refuseUnnamedStore } from './store-place.ts';

/** Environment of the commands; all members but the first two default to those of the process. */
export interface CliOptions {
  readonly buildApp: BuildApp;
  readonly findHttpLibrary: FindHttpLibrary;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  readonly stderr?: Writable;
  readonly now?: () => number;
  readonly isInteractive?: boolean;
}

/** Options that every command accepts. */
export interface CommonOptions {
  readonly isJson: boolean;
  readonly isConfirmed: boolean;
  readonly configFile: string | undefined;
  /** Settings given as flags, by key. */
  readonly flags: Readonly<Record<string, string>>;
}

async function openUsableStore(loaded: LoadedConfig, use: StoreUse): Promise<Store> {
  refuseUnnamedStore(loaded);
  const { openStore } = await import('../../storage/open-store.ts');
  const { storage, webhooks } = loaded.config;
  const store = await explainAbsentStore(loaded, () =>
    openStore(storage, {
      mustExist: !use.creates,
      writesInline: true,
      sendsEvents: webhooks.url !== undefined,
      author: { actor: `cli:${userName()}` },
      ...(use.readOnly === true ? { readOnly: true } : {}),
    }),
  );
  try {
    if (!use.anyVersion) await bringUpToDate(store, loaded);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** @throws ServiceError `store.absent` for a file without tables, `store.migrations_pending` in production */
async function bringUpToDate(store: Store, loaded: LoadedConfig): Promise<void> {
  const { applied, pending } = await store.migrationStatus();
  if (pending.length === 0) return;
  if (applied.length === 0) {
    throw new ServiceError('store.absent', `the database has no tables: ${placeOfStore(loaded)}`);
  }
  if (loaded.config.profile === 'production') {
    const names = pending.map((migration) => migration.name).join(', ');
    throw new ServiceError('store.migrations_pending', `pending: ${names}`);
  }
  await store.migrate();
}

/** Adds the apps of the configuration to the registry of the store, as the server does. */
async function withListedApps(store: Store, { config }: LoadedConfig): Promise<Store> {
  if (config.apps.list.length === 0) return store;
  const { openApps } = await import('../../apps/configured-apps.ts');
  return { ...store, apps: await openApps(config, store.apps) };
}

/** Returns the name of the user who runs the command, or the number of one that has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

async function ask(question: string, stdin: Readable, stderr: Writable): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises');
  const dialogue = createInterface({ input: stdin, output: stderr });
  try {
    const answer = await dialogue.question(`${question} [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    dialogue.close();
  }
}

/** Creates the context of one command. Settings, storage and engine are loaded when a command first needs them. */
export function createContext(options: CliOptions, common: CommonOptions): CommandContext {
  const stdin = options.stdin ?? process.stdin;
  const stdout = options.stdout ?? process.stdout;
  const stderr = options.stderr ?? process.stderr;
  const isInteractive =
    options.isInteractive ?? (process.stdin.isTTY === true && process.stderr.isTTY === true);
  const loadOptions: LoadOptions = {
    flags: common.flags,
    isTerminal: 'isTTY' in stdout && stdout.isTTY === true,
    ...(common.configFile === undefined ? {} : { configFile: common.configFile }),
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  };
  let hasProxies = false;
  // Those of the first reading: a running service reads settings again, perhaps with a fault in the proxy, which is none then.
  const callThroughProxies = <T extends LoadedConfig>(loaded: T): T => {
    if (!hasProxies) useProxies(proxyFinder(loaded.config.outgoing.proxies));
    hasProxies = true;
    return loaded;
  };
  const context: CommandContext = {
    stdin,
    stdout,
    stderr,
    isJson: common.isJson,
    cwd: options.cwd ?? process.cwd(),
    isInteractive,
    now: options.now ?? Date.now,
    buildApp: options.buildApp,
    findHttpLibrary: options.findHttpLibrary,
    loadConfig: async () =>
      callThroughProxies(await (await import('../../config/sources/load.ts')).loadConfig(loadOptions)),
    examineConfig: async () =>
      callThroughProxies(await (await import('../../config/sources/load.ts')).examineConfig(loadOptions)),
    withStore: async (loaded, use, storeOptions = {}) => {
      const store = await openUsableStore(loaded, storeOptions);
      try {
        return await use(storeOptions.anyVersion ? store : await withListedApps(store, loaded));
      } finally {
        await store.close();
      }
    },
    withEngine: async (settings, use) => {
      const { createEngine } = await import('../../engine/create-engine.ts');
      const engine = await createEngine(settings);
      try {
        return await use(engine);
      } finally {
        await engine.close();
      }
    },
    print: async (value, text) =>
      await writeText(stdout, `${common.isJson ? JSON.stringify(value) : printable(text)}\n`),
    note: (line) => {
      stderr.write(`${printable(line)}\n`);
    },
    confirm: async (question) => {
      if (common.isConfirmed) {
        return;
      }
      if (!isInteractive) {
        throw new ServiceError('cli.refused', `${question} There is no terminal to ask on: pass --yes`);
      }
      if (!(await ask(printable(question), stdin, stderr))) {
        throw new ServiceError('cli.refused', 'not confirmed; nothing was changed');
      }
    },
  };
  return context;
}
