import type { Case } from './report/types.ts';

/** How much time a run gives each kind of measuring. */
export interface Budget {
  readonly mode: 'quick' | 'full';
  /** Rounds of interleaved contenders, and the time each has in a round. */
  readonly rounds: number;
  readonly sliceMs: number;
  readonly batches: readonly number[];
  /** Load runs: rounds, and warm-up and windows of each. */
  readonly loadRounds: number;
  readonly warmUpMs: number;
  readonly windowMs: number;
  readonly windows: number;
  /** Load before the first round that a new server gets, until its code is compiled. */
  readonly serverWarmUpMs: number;
  /** Windows of the runs over HTTP. */
  readonly httpWindows: number;
  /** Backends that go over HTTP. */
  readonly httpBackends: readonly ('native' | 'wasm')[];
  /** Connections of the runs with one proof in a request. */
  readonly httpConnections: readonly number[];
  /** Connections of the runs of sign-in. */
  readonly signinConnections: readonly number[];
  /** Connections of the runs of credential refresh. */
  readonly refreshConnections: readonly number[];
}

/** What a suite gets: its budget and a line for people. */
export interface SuiteContext {
  readonly budget: Budget;
  /** Folder for databases, on the disk of the checkout. */
  readonly folder: string;
  readonly say: (text: string) => void;
  /** Writes down that a contender could not be measured here, and why. */
  readonly leaveOut: (name: string, reason: string) => void;
}

/** A group of cases that run together; one file in `micro` or `load` each. */
export interface Suite {
  readonly name: string;
  readonly run: (context: SuiteContext) => Promise<Case[]>;
}
