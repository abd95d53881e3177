import type { Case } from './report/types.ts';

/** Time that a run spends on each kind of measurement. */
export interface Budget {
  readonly mode: 'smoke' | 'quick' | 'full';
  /** Rounds of interleaved contenders, and the time of each contender in a round (`sliceMs`). */
  readonly rounds: number;
  readonly sliceMs: number;
  readonly batches: readonly number[];
  /** Rounds of load runs, and the warm-up and windows of each run. */
  readonly loadRounds: number;
  readonly warmUpMs: number;
  readonly windowMs: number;
  readonly windows: number;
  /** Load on a new server before the first round, until its code is compiled. */
  readonly serverWarmUpMs: number;
  /** Windows of the runs over HTTP. */
  readonly httpWindows: number;
  /** Backends measured over HTTP. */
  readonly httpBackends: readonly ('native' | 'wasm')[];
  /** Numbers of connections of the runs with one proof per request. */
  readonly httpConnections: readonly number[];
  /** Numbers of connections of the sign-in runs. */
  readonly signinConnections: readonly number[];
  /** Numbers of connections of the credential refresh runs. */
  readonly refreshConnections: readonly number[];
}

/** Budget, folder and output of a suite. */
export interface SuiteContext {
  readonly budget: Budget;
  /** Folder for databases, on the disk of the checkout. */
  readonly folder: string;
  /** Prints a progress line. */
  readonly say: (text: string) => void;
  /** Records that a contender could not be measured on this machine, and why. */
  readonly leaveOut: (name: string, reason: string) => void;
}

/** A group of cases that run together; each is one file in `micro` or `load`. */
export interface Suite {
  readonly name: string;
  readonly run: (context: SuiteContext) => Promise<Case[]>;
}
