import type { ProofSource } from './engine.ts';

const MAX_ADDRESSES = 1024;
// Failures over this many apps are those of the address, so that changing app ids does not evade the isolation.
const APPS_OF_AN_ADDRESS = 3;
const FORGIVEN_AFTER_HELD = 32;
const FORGIVEN_AFTER_MS = 60_000;

/** A source that sent bad proofs lately. Its proofs are batched apart from those of all others. */
export interface Suspect {
  readonly address: string;
  /** Undefined: the address with all its apps. */
  readonly app: string | undefined;
  /** Valid proofs since its last failure. */
  held: number;
  failedAtMs: number;
}

interface AddressRecord {
  readonly apps: Map<string, Suspect>;
  whole: Suspect | undefined;
}

/**
 * Which sources sent bad proofs lately (verify.md 6.1). A source is remembered from a failure until 32 of its proofs
 * were valid in a row or 60 s passed without a failure. Memory is bounded: of 1024 addresses that failed, the one whose
 * last failure is longest ago is forgotten for the next, and of an address two apps are known before it counts as a whole.
 */
export class Sources {
  /** By address, the one that failed last at the end. */
  readonly #addresses = new Map<string, AddressRecord>();
  /** When anybody failed last. */
  #failedAtMs = Number.NEGATIVE_INFINITY;

  /** Addresses that are remembered. */
  get size(): number {
    return this.#addresses.size;
  }

  /** The suspect that a source is or belongs to; undefined for all others. */
  suspect(source: ProofSource | undefined, nowMs: number): Suspect | undefined {
    if (source === undefined || this.#addresses.size === 0) return undefined;
    // While nobody is remembered nobody's address is asked for.
    if (nowMs - this.#failedAtMs >= FORGIVEN_AFTER_MS) {
      this.#addresses.clear();
      return undefined;
    }
    const record = this.#addresses.get(source.address);
    const found = record?.whole ?? record?.apps.get(source.app);
    if (!found || nowMs - found.failedAtMs < FORGIVEN_AFTER_MS) return found;
    this.#forget(found);
    return undefined;
  }

  /** Counts a bad proof. */
  failed({ address, app }: ProofSource, nowMs: number): void {
    this.#failedAtMs = nowMs;
    const record = this.#addresses.get(address) ?? { apps: new Map<string, Suspect>(), whole: undefined };
    this.#addresses.delete(address);
    this.#addresses.set(address, record);
    for (const [name, { failedAtMs }] of record.apps) {
      if (nowMs - failedAtMs >= FORGIVEN_AFTER_MS) record.apps.delete(name);
    }
    if (record.whole && nowMs - record.whole.failedAtMs >= FORGIVEN_AFTER_MS) record.whole = undefined;
    if (!record.whole && !record.apps.has(app) && record.apps.size + 1 >= APPS_OF_AN_ADDRESS) {
      record.apps.clear();
      record.whole = { address, app: undefined, held: 0, failedAtMs: nowMs };
    }
    const known = record.whole ?? record.apps.get(app);
    if (known) Object.assign(known, { held: 0, failedAtMs: nowMs });
    else record.apps.set(app, { address, app, held: 0, failedAtMs: nowMs });
    if (this.#addresses.size > MAX_ADDRESSES) {
      const [oldest] = this.#addresses.keys();
      this.#addresses.delete(oldest as string);
    }
  }

  /** Counts a valid proof of a suspect. */
  held(suspect: Suspect): void {
    suspect.held += 1;
    if (suspect.held >= FORGIVEN_AFTER_HELD) this.#forget(suspect);
  }

  #forget(suspect: Suspect): void {
    const { address, app } = suspect;
    const record = this.#addresses.get(address);
    if (!record) return;
    if (record.whole === suspect) record.whole = undefined;
    else if (app !== undefined && record.apps.get(app) === suspect) record.apps.delete(app);
    if (!record.whole && record.apps.size === 0) this.#addresses.delete(address);
  }
}
