/** Preload of a process (`--import …/shift-clock.mjs?5000`) whose clock is so many milliseconds ahead. */
const aheadMs = Number(new URL(import.meta.url).search.slice(1));
const RealDate = globalThis.Date;
const now = RealDate.now;

globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [now() + aheadMs] : given));
  }

  static now() {
    return now() + aheadMs;
  }
};
