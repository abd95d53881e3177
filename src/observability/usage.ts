import type { RequestLogFields, RequestRecord } from './log/request-record.ts';

/** Counts that have not been written yet; the rows are those of `UsageStore.add`. */
export interface UsageSample {
  readonly usage: readonly {
    readonly appId: string;
    readonly day: number;
    readonly environment: 'production' | 'staging';
    readonly kind: 'verified_new' | 'verified_reused' | 'verified_session' | 'verify_refused' | 'signed_in';
    readonly amount: number;
  }[];
  readonly actions: readonly {
    readonly appId: string;
    readonly environment: 'production' | 'staging';
    readonly action: string;
    readonly amount: number;
  }[];
  readonly refusals: readonly {
    readonly hour: number;
    readonly code: string;
    readonly route: string;
    readonly amount: number;
    readonly lastAt: number;
  }[];
}

type Usage = UsageSample['usage'][number];
type Counted<T> = { -readonly [K in keyof T]: T[K] };

const ENVIRONMENTS: readonly Usage['environment'][] = ['production', 'staging'];
const KINDS: readonly Usage['kind'][] = [
  ...(['verified_new', 'verified_reused', 'verified_session', 'verify_refused', 'signed_in'] as const),
];
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Maximum number of different apps, actions and refusals between two writes; more are not counted. */
const MAX_ROWS = 10_000;

/**
 * Counts requests by app and day, new nullifiers by action, and refusals by code and hour, until they are taken for the
 * store.
 */
export class UsageTally {
  readonly #now: () => number;
  /** Counts of the current day: one cell for each environment and kind. */
  #cells = new Map<string, number[]>();
  #day = 0;
  /** Counts of former days. */
  #former = new Map<string, Counted<Usage>>();
  #actions = new Map<string, Counted<UsageSample['actions'][number]>>();
  #refusals = new Map<string, Counted<UsageSample['refusals'][number]>>();

  /** @param now - Milliseconds since the epoch. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts a finished exchange. */
  observe({ status, code, route, fields }: RequestRecord): void {
    if (fields?.appId !== undefined && fields.environment !== undefined) {
      const environment = fields.environment === 'staging' ? 'staging' : 'production';
      this.count(fields.appId, environment, status === 200 ? kindOf(fields) : 'verify_refused');
    }
    if (status < 400) return;
    if (code !== undefined) this.#refuse(code, route);
    // The codes of the items are more specific than that of the request.
    const { itemCodes } = fields ?? {};
    if (itemCodes === undefined || itemCodes === 'ok') return;
    for (const item of itemCodes.split(',')) if (item !== 'ok') this.#refuse(item, route);
  }

  /** Counts a request of an app, or as many; costs one lookup, since every request is counted. */
  count(appId: string, environment: Usage['environment'], kind: Usage['kind'], amount: number = 1): void {
    const day = Math.floor(this.#now() / DAY_MS);
    if (day !== this.#day) this.#turnTo(day);
    let cells = this.#cells.get(appId);
    if (cells === undefined) {
      if (this.#cells.size >= MAX_ROWS) return;
      cells = new Array<number>(KINDS.length * ENVIRONMENTS.length).fill(0);
      this.#cells.set(appId, cells);
    }
    const cell = KINDS.indexOf(kind) + (environment === 'staging' ? KINDS.length : 0);
    cells[cell] = (cells[cell] ?? 0) + amount;
  }

  /** Counts a nullifier that is new for an action, or as many. */
  accept(appId: string, environment: Usage['environment'], action: string, amount: number = 1): void {
    addRow(this.#actions, `${appId} ${environment} ${action}`, { appId, environment, action, amount });
  }

  /** Adds counts that another thread has taken. */
  add({ usage, actions, refusals }: UsageSample): void {
    for (const { appId, day, environment, kind, amount } of usage) {
      if (day === Math.floor(this.#now() / DAY_MS)) this.count(appId, environment, kind, amount);
      else this.#addFormer({ appId, day, environment, kind, amount });
    }
    for (const { appId, environment, action, amount } of actions) {
      this.accept(appId, environment, action, amount);
    }
    for (const refusal of refusals) this.#addRefusal(refusal);
  }

  /** Returns the counts since the last call. */
  take(): UsageSample {
    this.#turnTo(this.#day);
    const sample = {
      usage: [...this.#former.values()],
      actions: [...this.#actions.values()],
      refusals: [...this.#refusals.values()],
    };
    this.#former = new Map();
    this.#actions = new Map();
    this.#refusals = new Map();
    return sample;
  }

  /** Converts the cells to rows and starts the counts of another day. */
  #turnTo(day: number): void {
    for (const [appId, cells] of this.#cells) {
      for (const [cell, amount] of cells.entries()) {
        const kind = KINDS[cell % KINDS.length];
        const environment = ENVIRONMENTS[Math.floor(cell / KINDS.length)];
        if (amount === 0 || kind === undefined || environment === undefined) continue;
        this.#addFormer({ appId, day: this.#day, environment, kind, amount });
      }
    }
    this.#cells = new Map();
    this.#day = day;
  }

  #addFormer(row: Usage): void {
    addRow(this.#former, `${row.appId} ${row.day} ${row.environment} ${row.kind}`, row);
  }

  #refuse(code: string, route: string): void {
    const lastAt = this.#now();
    this.#addRefusal({ hour: Math.floor(lastAt / HOUR_MS), code, route, amount: 1, lastAt });
  }

  #addRefusal(refusal: UsageSample['refusals'][number]): void {
    const row = addRow(this.#refusals, `${refusal.hour} ${refusal.code} ${refusal.route}`, refusal);
    if (row !== undefined) row.lastAt = Math.max(row.lastAt, refusal.lastAt);
  }
}

/** Adds the amount of a row to the one of its key, and returns that; undefined if there are too many. */
function addRow<T extends { amount: number }>(
  rows: Map<string, T>,
  key: string,
  added: Readonly<T>,
): T | undefined {
  let row = rows.get(key);
  if (row === undefined) {
    if (rows.size >= MAX_ROWS) return undefined;
    row = { ...added, amount: 0 };
    rows.set(key, row);
  }
  row.amount += added.amount;
  return row;
}

function kindOf({ kind, reuse }: RequestLogFields): Usage['kind'] {
  if (kind === 'session') return 'verified_session';
  return reuse === true ? 'verified_reused' : 'verified_new';
}
