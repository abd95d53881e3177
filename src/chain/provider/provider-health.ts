import type { RpcFailure, RpcFailureClass } from '../rpc/rpc-failure.ts';

/** Suspension of calls to a provider, with the reason. */
export interface Suspension {
  readonly reason: RpcFailureClass | 'disagreement';
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** Milliseconds since the epoch; Infinity for the life of the process. */
  readonly until: number;
}

/** State of a provider: `lagging` while its head is below the target block. */
export interface ProviderStatus {
  readonly state: 'up' | 'lagging' | Suspension['reason'];
  /** Start of the state in milliseconds since the epoch; undefined for `up`. */
  readonly since?: number;
}

const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;
const REFUSED_MS = 300_000;
const QUARANTINE_MS = 600_000;
/** A provider with a longer average call time is used after others. */
const SLOW_MS = 1000;
const LAST_CALL_WEIGHT = 0.2;
/** Failures that concern the request, not the provider. */
const REQUEST_FAILURES: readonly RpcFailureClass[] = ['range', 'not_there', 'invalid_params', 'reverted'];

/** Counts the failures of one provider and decides on the length of its suspension: spec/roots.md#provider-failures. */
export class ProviderHealth {
  /** Last failure, with the time in milliseconds since the epoch. */
  lastFailure: { readonly failure: RpcFailure; readonly at: number } | undefined;
  /** Time of the last rate-limit answer, in milliseconds since the epoch; undefined if there was none. */
  rateLimitedAt: number | undefined;
  /** Time at which a quorum of others last contradicted it, in milliseconds since the epoch; undefined if never. */
  disagreedAt: number | undefined;
  readonly #now: () => number;
  readonly #random: () => number;
  /** Consecutive failures by method, so that pauses also grow for a provider that fails at one method only. */
  readonly #failures = new Map<string, number>();
  #suspension: Suspension | undefined;
  #failingSince: number | undefined;
  #laggingSince: number | undefined;
  #averageMs = 0;

  constructor(now: () => number, random: () => number) {
    this.#now = now;
    this.#random = random;
  }

  /** Current suspension; undefined if the provider is usable. */
  get suspension(): Suspension | undefined {
    return this.#suspension !== undefined && this.#now() < this.#suspension.until
      ? this.#suspension
      : undefined;
  }

  /** Number of consecutive failures; providers with fewer are used first. */
  get failures(): number {
    return Math.max(0, ...this.#failures.values());
  }

  /** Whether its answers are slow. */
  get isSlow(): boolean {
    return this.#averageMs > SLOW_MS;
  }

  /** Current state and its start. */
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

  /** Records an answer. A running pause continues: the answer may be older than its reason. */
  succeeded(method: string, elapsedMs: number): void {
    this.#failures.delete(method);
    if (this.#failures.size === 0) this.#failingSince = undefined;
    this.#averageMs += (elapsedMs - this.#averageMs) * LAST_CALL_WEIGHT;
  }

  /** Records a failure and pauses the provider; the pause grows with the number of consecutive failures. */
  failed(method: string, failure: RpcFailure): void {
    const { failureClass, details } = failure;
    if (REQUEST_FAILURES.includes(failureClass)) return;
    const at = this.#now();
    const before = this.#failures.get(method) ?? 0;
    // Concurrent calls count as one.
    const failures = this.suspension === undefined ? before + 1 : Math.max(before, 1);
    this.#failures.set(method, failures);
    this.lastFailure = { failure, at };
    if (failureClass === 'rate_limited') this.rateLimitedAt = at;
    this.#failingSince ??= at;
    this.#suspend(failureClass, at + this.#pauseAfter(failureClass, failures, details.retryAfterMs));
  }

  /** Suspends the provider for ten minutes, because a quorum of others contradicted it. */
  quarantine(): void {
    this.disagreedAt = this.#now();
    this.#suspend('disagreement', this.#now() + QUARANTINE_MS);
  }

  /** Records whether its head is below the target block. */
  setLagging(isLagging: boolean): void {
    this.#laggingSince = isLagging ? (this.#laggingSince ?? this.#now()) : undefined;
  }

  #pauseAfter(failureClass: RpcFailureClass, failures: number, requestedMs: number | undefined): number {
    if (failureClass === 'chain_mismatch') return Number.POSITIVE_INFINITY;
    if (failureClass === 'refused') return REFUSED_MS;
    if (requestedMs !== undefined) return Math.max(requestedMs, FIRST_PAUSE_MS);
    const growing = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), MAX_PAUSE_MS);
    return growing * (0.5 + this.#random() / 2);
  }

  /** A new pause never shortens a running one. */
  #suspend(reason: Suspension['reason'], until: number): void {
    if (until > (this.suspension?.until ?? 0)) this.#suspension = { reason, since: this.#now(), until };
  }
}
