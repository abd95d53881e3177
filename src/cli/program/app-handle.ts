import type { Writable } from 'node:stream';
import type { Config } from '../../config/settings/types.ts';
import type { ExaminedConfig, LoadedConfig } from '../../config/sources/loaded-config.ts';
import type { CircuitStatus } from '../../pages.ts';

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
