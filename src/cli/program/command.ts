import type { Readable, Writable } from 'node:stream';
import type { ExaminedConfig, LoadedConfig } from '../../config/sources/loaded-config.ts';
import type { Engine, EngineSettings } from '../../engine/engine.ts';
import type { Store } from '../../storage/store.ts';
import type { BuildApp } from './app-handle.ts';

/** Positional argument. */
export interface CommandArgument {
  readonly name: string;
  readonly description: string;
  /** Allowed values. */
  readonly choices?: readonly string[];
  /** May be left out; only the last argument can be. */
  readonly isOptional?: true;
}

/** An option, spelled as in the help: `--yes` is a switch, `--no-logo` turns one off, `--app-id <id>` takes a value. */
export interface CommandOption {
  readonly flags: string;
  readonly description: string;
  readonly isRequired?: boolean;
  /** Allowed values. */
  readonly choices?: readonly string[];
  /** May be given several times; `CommandInput.options` returns the values. */
  readonly isRepeatable?: true;
}

/**
 * Parsed command line. Names are those of its `Command`, options in camelCase (`--app-id` is `appId`).
 */
export interface CommandInput {
  /** Returns the value of a positional argument. */
  argument(name: string): string;
  /** Returns the value of a positional argument that is optional, or undefined when it was not given. */
  optionalArgument(name: string): string | undefined;
  /** Returns the value of an option, or undefined when it was not given. */
  option(name: string): string | undefined;
  /** Returns the values of a repeatable option, or undefined when it was not given. */
  options(name: string): readonly string[] | undefined;
  /** Whether a switch was given. */
  has(name: string): boolean;
  /** Whether a switch was given with `no-` before its name. */
  isOff(name: string): boolean;
}

/** Options with which a command opens the store. */
export interface StoreUse {
  /** Accepts a store with pending migrations or without tables, and does not migrate it. */
  readonly anyVersion?: boolean;
  /** Creates the store if it is absent. */
  readonly creates?: boolean;
  /** Opens the store for reading, so that every write is refused; with `anyVersion`, since it is not migrated. */
  readonly readOnly?: boolean;
}

/** Everything outside itself that a command can reach. */
export interface CommandContext {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Whether `--json` was given: stdout gets one JSON value (or one per line) instead of text. */
  readonly isJson: boolean;
  /** Folder that relative paths are resolved against. */
  readonly cwd: string;
  /** Whether a person can answer questions on stdin. */
  readonly isInteractive: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly buildApp: BuildApp;
  /**
   * Loads the settings from defaults, file, environment and flags; throws `config.invalid` with all faults.
   */
  loadConfig(): Promise<LoadedConfig>;
  /** Loads the settings like `loadConfig` but returns the faults, for a command that reports them itself. */
  examineConfig(): Promise<ExaminedConfig>;
  /**
   * Opens the store of these settings, passes it to `use`, then closes it. Outside production, pending
   * migrations are applied first.
   *
   * @throws ServiceError `store.absent` if there is none, `store.migrations_pending` in production
   */
  withStore<T>(loaded: LoadedConfig, use: (store: Store) => Promise<T>, options?: StoreUse): Promise<T>;
  /** Starts an engine, passes it to `use`, then closes it. */
  withEngine<T>(settings: EngineSettings, use: (engine: Engine) => Promise<T>): Promise<T>;
  /** Writes one result to stdout: `value` as JSON with `--json`, else `text`. Waits while stdout is full. */
  print(value: unknown, text: string): Promise<void>;
  /** Writes one line to stderr. */
  note(line: string): void;
  /** Asks on a terminal; throws `cli.refused` unless `--yes` was given or the answer is yes. */
  confirm(question: string): Promise<void>;
}

/** One command of the table. */
export interface Command {
  /** Words that invoke it, e.g. `['apps', 'add']`. */
  readonly path: readonly string[];
  readonly summary: string;
  /** A longer text below the summary in `--help`. */
  readonly details?: string;
  /** Lists every setting as a flag in `--help`; the flags are accepted by all commands. */
  readonly showsSettings?: true;
  readonly arguments?: readonly CommandArgument[];
  readonly options?: readonly CommandOption[];
  /** Does the work and returns the exit code; a thrown `ServiceError` sets the exit code of its row. */
  readonly run: (input: CommandInput, context: CommandContext) => Promise<number>;
}
