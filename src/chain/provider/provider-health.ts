import type { RpcFailure, RpcFailureClass } from '../rpc/rpc-failure.ts';

/** Why a provider is not asked at present. */
export interface Suspension {
  readonly reason: RpcFailureClass | 'disagreement';
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** Milliseconds since the epoch; infinite if until the process ends. */
  readonly until: number;
}

/** State of a provider: `lagging` while its head is below the block that facts are read at. */
export interface ProviderStatus {
  readonly state: 'up' | 'lagging' | Suspension['reason'];
  /** Beginning of the state in milliseconds since the epoch; undefined for `up`. */
  readonly since?: number;
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
const REFUSED_MS = 300_000;
const QUARANTINE_MS = 600_000;
/** Calls that take longer on average make a provider be asked after others. */
const SLOW_MS = 1000;
const WEIGHT_OF_LAST_CALL = 0.2;
/** Failures that say something about what was asked, not about the provider. */
const ANSWERS: readonly RpcFailureClass[] = ['range', 'not_there', 'invalid_params', 'reverted'];

/** Counts the failures of one provider and decides how long it is left alone: spec/roots.md#provider-failures. */
export class ProviderHealth {
  /** Last failure, with the time in milliseconds since the epoch. */
  lastFailure: { readonly failure: RpcFailure; readonly at: number } | undefined;
  /** When it was last limited, in milliseconds since the epoch; undefined if never. */
  rateLimitedAt: number | undefined;
  /** When a quorum of others last contradicted it, in milliseconds since the epoch; undefined if never. */
  disagreedAt: number | undefined;
  readonly #now: () => number;
  readonly #random: () => number;
  /** Failures in a row by method: a provider that fails at one alone is paused ever longer, too. */
  readonly #failures = new Map<string, number>();
  #suspension: Suspension | undefined;
  #failingSince: number | undefined;
  #laggingSince: number | undefined;
  #averageMs = 0;

  constructor(now: () => number, random: () => number) {
    this.#now = now;
    this.#random = random;
  }

  /** Why it is not asked at present; undefined if it may be. */
  get suspension(): Suspension | undefined {
    return this.#suspension !== undefined && this.#now() < this.#suspension.until
      ? this.#suspension
      : undefined;
  }

  /** Failures in a row; providers with fewer are asked first. */
  get failures(): number {
    return Math.max(0, ...this.#failures.values());
  }

  /** Whether its answers take long. */
  get isSlow(): boolean {
    return this.#averageMs > SLOW_MS;
  }

  /** State, and since when. */
  get status(): ProviderStatus {
    const { suspension } = this;
    if (suspension?.reason === 'disagreement' || suspension?.reason === 'chain_mismatch') {
      return { state: suspension.reason, since: suspension.since };
    }
    if (this.#failingSince !== undefined && this.lastFailure !== undefined) {
      return { state: this.lastFailure.failure.failureClass, since: this.#failingSince };
    }
    return this.#laggingSince === undefined
      ? { state: 'up' }
      : { state: 'lagging', since: this.#laggingSince };
  }

  /** Records an answer. A pause that has begun goes on: the answer may be older than its reason. */
  succeeded(method: string, elapsedMs: number): void {
    this.#failures.delete(method);
    if (this.#failures.size === 0) this.#failingSince = undefined;
    this.#averageMs += (elapsedMs - this.#averageMs) * WEIGHT_OF_LAST_CALL;
  }

  /** Records a failure, and pauses: the longer, the more failures there were in a row. */
  failed(method: string, failure: RpcFailure): void {
    const { failureClass, details } = failure;
    if (ANSWERS.includes(failureClass)) return;
    const at = this.#now();
    const before = this.#failures.get(method) ?? 0;
    // Calls that were under way together count as one.
    const failures = this.suspension === undefined ? before + 1 : Math.max(before, 1);
    this.#failures.set(method, failures);
    this.lastFailure = { failure, at };
    if (failureClass === 'rate_limited') this.rateLimitedAt = at;
    this.#failingSince ??= at;
    this.#suspend(failureClass, at + this.#pauseAfter(failureClass, failures, details.retryAfterMs));
  }

  /** Stops asking it for ten minutes, because a quorum of others contradicted it. */
  quarantine(): void {
    this.disagreedAt = this.#now();
    this.#suspend('disagreement', this.#now() + QUARANTINE_MS);
  }

  /** Records whether its head is below the block that facts are read at. */
  setLagging(isLagging: boolean): void {
    this.#laggingSince = isLagging ? (this.#laggingSince ?? this.#now()) : undefined;
  }

  #pauseAfter(failureClass: RpcFailureClass, failures: number, askedMs: number | undefined): number {
    if (failureClass === 'chain_mismatch') return Number.POSITIVE_INFINITY;
    if (failureClass === 'refused') return REFUSED_MS;
    if (askedMs !== undefined) return Math.max(askedMs, FIRST_PAUSE_MS);
    const growing = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
    return growing * (0.5 + this.#random() / 2);
  }

  /** A pause never shortens one that has begun. */
  #suspend(reason: Suspension['reason'], until: number): void {
    if (until > (this.suspension?.until ?? 0)) this.#suspension = { reason, since: this.#now(), until };
  }
}
