import type { Readable, Writable } from 'node:stream';
import type { Config, LibraryFacts } from '../../config/settings/types.ts';
import type { ExaminedConfig, LoadedConfig } from '../../config/sources/loaded-config.ts';
import type { Engine, EngineSettings } from '../../engine/engine.ts';
import type { CircuitStatus } from '../../pages.ts';
import type { Store } from '../../storage/store.ts';

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
  readonly findHttpLibrary: FindHttpLibrary;
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

/** Options of `buildApp` in addition to the settings. */
export interface BuildAppOptions {
  /** Applies pending migrations before the service listens. */
  readonly migrate: boolean;
  /** Origins of the settings: production refuses some defaults, development announces them. */
  readonly origins: LoadedConfig['origins'];
  /** Values of the settings, which the admin API shows with secrets masked. */
  readonly values: LoadedConfig['values'];
  /** Logged once at start. */
  readonly warnings: readonly string[];
  /**
   * Faults of the settings in any profile; production reports them with its other reasons. None if absent.
   */
  readonly faults?: ExaminedConfig['faults'];
  /** Files that the settings name: those that change while the service runs are read again. None if absent. */
  readonly files?: ExaminedConfig['files'];
  /** Reads the settings again for a running service; if absent, only certificates are reloaded. */
  readonly examine?: () => Promise<ExaminedConfig>;
  /** Settings that these faults are about. */
  readonly faultyKeys?: ExaminedConfig['faultyKeys'];
  /** Milliseconds since the epoch; the system clock if absent. */
  readonly now?: () => number;
  /** Receives the log; standard output if absent. */
  readonly logDestination?: Writable | 'stderr';
}

/** A service that listens and is ready. */
export interface RunningApp {
  /** Bound address of the public listener, e.g. `http://127.0.0.1:8080`. */
  readonly publicUrl: string;
  /** Bound address of the admin listener. */
  readonly adminUrl: string;
  /** Address of the verification interface at the bound address of the public listener, without `/api/v4`. */
  readonly verifyUrl: string;
  /** Address of credential refresh at the bound address of the public listener, without `/api/v1`. */
  readonly issuerUrl: string;
  /** Command that verifies a real proof, if the profile seeds one. */
  readonly exampleCurl: string | undefined;
  /** Command that makes and verifies a World ID 4.0 proof, if the profile has the state for it. */
  readonly exampleCurl4: string | undefined;
  /** Command that checks a proof as one of any circuit, if the profile serves it without a token. */
  readonly groth16Curl: string | undefined;
  /** Command that refreshes the credential of the demo holder, if the profile enrols it. */
  readonly refreshCurl: string | undefined;
  /** Address of the demo, if the profile serves it. */
  readonly demoUrl: string | undefined;
  /** Address of the wallet page, if the profile serves it. */
  readonly walletUrl: string | undefined;
  /** Address of the reference of the public calls, if it is served. */
  readonly docsUrl: string | undefined;
  /** State of the development circuit, if the profile has one; proofs can be made when it is ready. */
  readonly circuit: CircuitStatus['status'] | undefined;
  /** Resolves with the cause when a part fails permanently; remains pending while the service is healthy. */
  readonly failed: Promise<unknown>;
  /** Reads changed files again in the background, because of a signal; logs what has changed. */
  onReload(signal: NodeJS.Signals): void;
  /** Logs that a signal had no effect. */
  logIgnoredSignal(signal: NodeJS.Signals): void;
  /**
   * Drains and closes everything; resolves to whether every open request was finished. Idempotent: further
   * calls return the same promise.
   */
  stop(): Promise<boolean>;
}

/** Builds every part of the service and starts it; `main.ts` passes it to the command table. */
export type BuildApp = (config: Config, options: BuildAppOptions) => Promise<RunningApp>;

/** Loads the HTTP library that a service with these settings would use; `main.ts` passes it to the command table. */
export type FindHttpLibrary = (config: Pick<Config, 'http' | 'dataDir'>) => Promise<LibraryFacts>;
