import type { Readable, Writable } from 'node:stream';
import type { ExaminedConfig, LoadedConfig } from '../../config/index.ts';
import type { Engine, EngineSettings } from '../../engine/index.ts';
import type { Store } from '../../storage/index.ts';
import type { BuildApp } from '../commands/apps/app-handle.ts';

/** A positional argument; all are required. */
export interface CommandArgument {
  readonly name: string;
  readonly description: string;
  /** Values that may be given. */
  readonly choices?: readonly string[];
}

/** An option, spelled as in the help: `--yes` is a switch, `--no-logo` turns one off, `--app-id <id>` takes a value. */
export interface CommandOption {
  readonly flags: string;
  readonly description: string;
  readonly isRequired?: boolean;
  /** Values that may be given. */
  readonly choices?: readonly string[];
  /** May be given several times; `CommandInput.options` has the values. */
  readonly isRepeatable?: true;
}

/**
 * The parsed command line; names are those of its `Command`, options in camelCase (`--app-id` is
 * `appId`).
 */
export interface CommandInput {
  /** Value of a positional argument. */
  argument(name: string): string;
  /** Value of an option, or undefined when it was not given. */
  option(name: string): string | undefined;
  /** Values of a repeatable option, or undefined when it was not given. */
  options(name: string): readonly string[] | undefined;
  /** Whether a switch was given. */
  has(name: string): boolean;
  /** Whether it was given with `no-` before its name. */
  isOff(name: string): boolean;
}

/** How a command opens the store. */
export interface StoreUse {
  /** Takes the tables as they are, also none. */
  readonly anyVersion?: boolean;
  /** Makes a store where there is none. */
  readonly creates?: boolean;
}

/** All that a command can reach of the outside. */
export interface CommandContext {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** `--json` was given: one JSON value (or one a line) on stdout instead of text. */
  readonly isJson: boolean;
  /** Folder that relative paths start from. */
  readonly cwd: string;
  /** A person can answer questions on stdin. */
  readonly isInteractive: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly buildApp: BuildApp;
  /** Settings from default, file, environment and flags; throws `config.invalid` with all faults. */
  loadConfig(): Promise<LoadedConfig>;
  /** The same with their faults, for a command that has more to say of them than that they are wrong. */
  examineConfig(): Promise<ExaminedConfig>;
  /**
   * Opens the store of these settings and hands it to `use`, then closes it. Tables are brought up to date in
   * development.
   *
   * @throws ServiceError `store.absent` where there is none, `store.migrations_pending` in production
   */
  withStore<T>(loaded: LoadedConfig, use: (store: Store) => Promise<T>, options?: StoreUse): Promise<T>;
  /** Starts an engine, hands it to `use`, then closes it. */
  withEngine<T>(settings: EngineSettings, use: (engine: Engine) => Promise<T>): Promise<T>;
  /** Writes one result to stdout: `value` as JSON with `--json`, else `text`. Resolves when it was taken. */
  print(value: unknown, text: string): Promise<void>;
  /** Writes one line to stderr. */
  note(line: string): void;
  /** Asks on a terminal; throws `cli.refused` unless `--yes` was given or the answer is yes. */
  confirm(question: string): Promise<void>;
}

/** One command of the table. */
export interface Command {
  /** Words that call it, e.g. `['apps', 'add']`. */
  readonly path: readonly string[];
  readonly summary: string;
  /** A longer text below the summary in `--help`. */
  readonly details?: string;
  /** Lists every setting as a flag in `--help`; the flags are accepted by all commands. */
  readonly showsSettings?: true;
  readonly arguments?: readonly CommandArgument[];
  readonly options?: readonly CommandOption[];
  /** Does the work and gives the exit code; a thrown `ServiceError` gives the exit code of its row. */
  readonly run: (input: CommandInput, context: CommandContext) => Promise<number>;
}
