import type { UsageSample } from '../observability/index.ts';

const MINUTE_MS = 60_000;

/** Refusals of one code in the current minute. */
export interface CodeCount {
  readonly code: string;
  readonly count: number;
}

/** Counts the refusals of a process by code and minute. */
export class RefusalWatch {
  readonly #threshold: number;
  #minute = 0;
  #counts = new Map<string, number>();

  /** @param threshold - Refusals of a code in a minute; 0 is off. */
  constructor(threshold: number) {
    this.#threshold = threshold;
  }

  /**
   * Adds counts; returns those of the codes in them that have reached the threshold in this minute.
   *
   * @param now - Milliseconds since the epoch.
   */
  count(refusals: UsageSample['refusals'], now: number): CodeCount[] {
    if (this.#threshold === 0) return [];
    const minute = Math.floor(now / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#counts = new Map();
    }
    for (const { code, amount } of refusals) {
      this.#counts.set(code, (this.#counts.get(code) ?? 0) + amount);
    }
    const codes = new Set(refusals.map(({ code }) => code));
    return [...codes].flatMap((code) => {
      const count = this.#counts.get(code) ?? 0;
      return count >= this.#threshold ? [{ code, count }] : [];
    });
  }
}
