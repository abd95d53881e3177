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
  readonly #isNew = new Set<string>();

  count(kind: string): void {
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
  }

  /** Notes a successful verification. */
  verified(body: string, isNew: boolean, createdAt: string): void {
    this.count(isNew ? 'verify: new' : 'verify: repeated');
    if (isNew && this.#isNew.has(body)) this.faults.push('a nullifier was new twice');
    if (isNew) this.#isNew.add(body);
    const before = this.createdAt.get(body);
    if (before !== undefined && before !== createdAt) {
      this.faults.push(`a nullifier of ${before} has the time ${createdAt}`);
    }
    if (before === undefined) this.createdAt.set(body, createdAt);
  }

  /** Notes the status of an answer that is not a success. */
  refused(what: string, status: number, isOfBalancer: boolean, text: string): void {
    this.count(`${what}: ${isOfBalancer ? 'balancer ' : ''}${status}`);
    if (!isOfBalancer && status >= 500 && status !== 503) this.faults.push(`${what}: ${status} ${text}`);
  }
}
