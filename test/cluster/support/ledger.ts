/** Begins a fault of a nullifier that others saw, while whoever sent it first was told nothing. */
export const ONLY_REPEATED = 'a nullifier that nobody was told is new,';

const MAX_REFUSALS = 20;

/** What clients were told, and what must therefore hold afterwards. */
export class Ledger {
  /** `created_at` of each acknowledged nullifier, by the body of its request. */
  readonly createdAt: Map<string, string> = new Map();
  /** Codes that were redeemed. */
  readonly redeemed: Set<string> = new Set();
  /** Access tokens whose revocation was acknowledged. */
  readonly revoked: Set<string> = new Set();
  readonly faults: string[] = [];
  /** Answers by kind, for the record. */
  readonly counts: Record<string, number> = {};
  /** Texts of the first answers that were not a success, to explain a test that expected none. */
  readonly refusals: string[] = [];
  readonly #isNew = new Set<string>();
  /** Number of requests by body that began and were not answered with success: they may have recorded the nullifier. */
  readonly #unclear = new Map<string, number>();

  count(kind: string): void {
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
  }

  /** Begins to count answers and refusals anew; what must hold, and faults, stay. */
  beginPhase(): void {
    for (const kind of Object.keys(this.counts)) delete this.counts[kind];
    this.refusals.length = 0;
  }

  /** Notes a successful verification. */
  verified(body: string, isNew: boolean, createdAt: string): void {
    this.count(isNew ? 'verify: new' : 'verify: repeated');
    const before = this.createdAt.get(body);
    if (before !== undefined && before !== createdAt) {
      this.faults.push(`${this.describe(body)} has the time ${createdAt}`);
    }
    const isFirst = isNew && !this.#isNew.has(body);
    if (isNew && !isFirst) this.faults.push('a nullifier was new twice');
    if (isFirst) this.#isNew.add(body);
    // What others saw before nobody was told that it is new may have been lost; what was told then counts.
    if (before === undefined || isFirst) this.createdAt.set(body, createdAt);
  }

  /** Names an acknowledged nullifier in a fault. */
  describe(body: string): string {
    return `${this.#isNew.has(body) ? 'a nullifier' : ONLY_REPEATED} of ${this.createdAt.get(body)}`;
  }

  /** Notes a verification that may be the first use of its nullifier. */
  begin(body: string): void {
    this.#unclear.set(body, (this.#unclear.get(body) ?? 0) + 1);
  }

  /** Notes that it was answered with success. */
  finish(body: string): void {
    this.#unclear.set(body, (this.#unclear.get(body) ?? 0) - 1);
  }

  /** Returns faults: nullifiers that were never new, although every request that could be the first use was answered. */
  reusedAtFirstUse(): string[] {
    const faults: string[] = [];
    for (const [body, createdAt] of this.createdAt) {
      if (this.#isNew.has(body) || (this.#unclear.get(body) ?? 0) > 0) continue;
      faults.push(`a nullifier of ${createdAt} was taken for reused at its first use`);
    }
    return faults;
  }

  /** Notes an answer that is not a success. */
  refused(what: string, { status, isOfBalancer, text, retryAfter }: Refusal): void {
    this.count(`${what}: ${isOfBalancer ? 'balancer ' : ''}${status}`);
    if (isOfBalancer || status < 500) return;
    if (this.refusals.length < MAX_REFUSALS) this.refusals.push(`${what}: ${status} ${text}`);
    if (status !== 503) this.faults.push(`${what}: ${status} ${text}`);
    else if (!/^[1-9][0-9]*$/.test(retryAfter ?? '')) this.faults.push(`${what}: 503 without Retry-After`);
  }
}

/** An answer that is not a success. */
export interface Refusal {
  readonly status: number;
  readonly text: string;
  /** Whether the balancer made it, for want of a node that answers. */
  readonly isOfBalancer: boolean;
  readonly retryAfter: string | null;
}
