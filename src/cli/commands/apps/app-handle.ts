import type { Writable } from 'node:stream';
import type { Config, ExaminedConfig, LoadedConfig } from '../../../config/index.ts';
import type { CircuitStatus } from '../../../pages.ts';

/** What `buildApp` is told beside the settings. */
export interface BuildAppOptions {
  /** Applies pending migrations before the service listens. */
  readonly migrate: boolean;
  /** Origins of the settings: production refuses some defaults, development announces them. */
  readonly origins: LoadedConfig['origins'];
  /** Logged once at start. */
  readonly warnings: readonly string[];
  /** What refuses the settings whatever the profile; production tells it with its other reasons. None where absent. */
  readonly faults?: ExaminedConfig['faults'];
  /** Settings that these faults are about. */
  readonly faultyKeys?: ExaminedConfig['faultyKeys'];
  /** Milliseconds since the epoch; the system clock where absent. */
  readonly now?: () => number;
  /** Receives the log; standard output where absent. */
  readonly logDestination?: Writable | 'stderr';
}

/** A service that listens and is ready. */
export interface RunningApp {
  /** Address of the public listener as it was bound, e.g. `http://127.0.0.1:8080`. */
  readonly publicUrl: string;
  /** Address of the admin listener as it was bound. */
  readonly adminUrl: string;
  /** The verification interface at the public listener as it was bound: what stands before `/api/v4`. */
  readonly verifyUrl: string;
  /** The same of credential refresh, before `/api/v1`. */
  readonly issuerUrl: string;
  /** A command that verifies a real proof, where the profile seeds one. */
  readonly exampleCurl: string | undefined;
  /** A command that refreshes the credential of the demo holder, where the profile enrols it. */
  readonly refreshCurl: string | undefined;
  /** Address of the demo, where the profile serves it. */
  readonly demoUrl: string | undefined;
  /** Address of the wallet page, where the profile serves it. */
  readonly walletUrl: string | undefined;
  /** Whether proofs can be made here, where the profile has a development circuit. */
  readonly circuit: CircuitStatus['status'] | undefined;
  /** Resolves with the cause when a part fails for good; stays pending while the service is well. */
  readonly failed: Promise<unknown>;
  /** Drains, closes everything and tells whether no open request was cut; a second call gives the same promise. */
  stop(): Promise<boolean>;
}

/** Builds every part of the service and starts it; handed to the command table by `main.ts`. */
export type BuildApp = (config: Config, options: BuildAppOptions) => Promise<RunningApp>;
