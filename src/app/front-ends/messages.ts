import type { MessagePort } from 'node:worker_threads';
import type { Config } from '../../config/settings/types.ts';
import type { EngineStats } from '../../engine/engine.ts';
import type { AppDescriptor } from '../../http/library/http-library.ts';
import type { LibraryBinary } from '../../http/library/load-http-library.ts';
import type { FrontEndCounts } from '../../http/limits/front-ends/front-end-counts.ts';
import type { LimitsHandle } from '../../http/limits/limits.ts';
import type { ListenerLoad } from '../../http/server.ts';
import type { MetricsSnapshot } from '../../observability/metrics/merge-snapshots.ts';
import type { UsageSample } from '../../observability/usage.ts';
import type { CircuitStatus } from '../../pages.ts';
import type { ThreadRole } from '../../storage/drivers/driver.ts';
import type { GateCells } from '../../storage/drivers/exit-gate.ts';
import type { RootRow } from '../../storage/roots.ts';
import type { StoreChangeCells } from '../../storage/store-changes.ts';
import type { Bytes32, Environment, Tree } from '../../storage/values.ts';
import type { FrontEndState } from '../parts/front-end-state.ts';
import type { Fault } from './link.ts';

/** Cells in shared memory of a front end, for the moments in which no message is read. */
export const CELLS = {
  /** 1 once the main thread sends no further connections. */
  left: 0,
  /** 1 once the connections are closed. */
  closed: 1,
  /** 1 while the service is ready. */
  ready: 2,
} as const;
export type Cells = Int32Array<SharedArrayBuffer>;

/** Start parameters of the thread of a front end. */
export interface FrontEndSetup {
  /** From 1; the front end that replaces another one has its number. */
  readonly index: number;
  /** With the front end's share of workers and of connections to a database server. */
  readonly config: Config;
  readonly binary: LibraryBinary;
  readonly limits: LimitsHandle;
  readonly counts: FrontEndCounts;
  /** Largest number of open connections of all front ends. */
  readonly maxOpen: number;
  readonly cells: Cells;
  /** Delays the exit of the process while a read of the embedded store runs. */
  readonly storeGate: GateCells;
  readonly storeChanges: StoreChangeCells;
  /** Trees whose roots can be asked for, as `<environment>/<tree>`. */
  readonly askableTrees: readonly string[];
  readonly confirmedRoots: ConfirmedRoots;
}

/** Times up to which the current roots of sources are confirmed, by source, in milliseconds since the epoch. */
export type ConfirmedRoots = Readonly<Record<string, number>>;

/** Figures of a front end, reported every second. */
export interface FrontEndStatus {
  readonly load: ListenerLoad;
  readonly openExchanges: number;
  readonly engine: EngineStats;
}

/** A front end that serves. */
export interface FrontEndReady extends FrontEndStatus {
  readonly descriptor: AppDescriptor;
  readonly certificateExpiresAt: number | undefined;
}

/** Calls that the main thread answers. */
export type MainCalls = {
  ready(facts: FrontEndReady): void;
  /** The front end could not start. */
  failed(fault: Fault): void;
  report(status: FrontEndStatus): void;
  /** Sends no further connections; sets `CELLS.left`. */
  leave(): void;
  /** Sends further connections to another application of the front end. */
  replace(facts: Pick<FrontEndReady, 'descriptor' | 'certificateExpiresAt'>): void;
  /** Has a database thread serve a port; only for the embedded store. */
  attachStore(role: ThreadRole, port: MessagePort): void;
  findMissedRoot(
    place: { readonly environment: Environment; readonly tree: Tree },
    root: Bytes32,
    statement: { readonly bytes: Uint8Array; readonly maxAgeSeconds: number },
  ): Promise<RootRow | undefined>;
  circuit(): Promise<CircuitStatus>;
  /** A number of connections is open at which the main thread has to act. */
  connectionsReached(): void;
  /** Readiness has changed. */
  health(state: FrontEndState): void;
  /** What was counted since it was last asked for: the front end ends. */
  last(usage: UsageSample, metrics: MetricsSnapshot): void;
  /** Writes formatted lines to the log. */
  log(lines: string): void;
};

/** Calls that a front end answers; all but the last two need one that is ready. */
export type FrontEndCalls = {
  /** Every answer ends its connection from now on. */
  drain(): void;
  /** Waits until no exchange is open; returns the number of those that are open after `timeoutMs`. */
  whenIdle(timeoutMs: number): Promise<number>;
  reloadCertificate(): Promise<boolean>;
  setWorkers(workers: number): Promise<void>;
  /** Returns the counts since the last call. */
  takeUsage(): UsageSample;
  metrics(): Promise<MetricsSnapshot>;
  /** Replaces the addresses with too many connections. */
  limitAddresses(addressKeys: readonly string[]): void;
  confirmRoots(roots: ConfirmedRoots): void;
  /** Closes everything and ends the thread. */
  stop(): Promise<void>;
  /** Closes the connections at once: the process exits. */
  halt(): void;
};
