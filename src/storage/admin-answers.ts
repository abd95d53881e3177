import { bytes, columns, integer, type RowOf, text } from './columns.ts';
import type { Driver, Statement } from './drivers/driver.ts';
import { guard, point } from './sql.ts';
import type { Bytes32 } from './values.ts';

const ANSWER = columns({ requestHash: bytes, answer: text });
/** Stored answer to a request. */
export type AdminAnswerRow = RowOf<typeof ANSWER>;

/** Answer to a request with an Idempotency-Key, which is stored in the transaction of its change. */
export interface PlannedAnswer {
  /** SHA-256 of the key and of who sent it. */
  readonly keyHash: Bytes32;
  /** SHA-256 of the request. */
  readonly requestHash: Bytes32;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** Returns the sealed answer; called when the change is written. */
  answer(): string;
}

const STORED_ANSWER = columns({ keyHash: bytes, ...ANSWER.members, expiresAt: integer });
const insertAnswer = guard(
  `insert into admin_answers (${STORED_ANSWER.list()}) values (${STORED_ANSWER.slots()}) on conflict (key_hash) do update set ${STORED_ANSWER.excluded('keyHash')} where admin_answers.expires_at <= $5 returning 1`,
);
const liveAnswer = point(
  ANSWER,
  `select ${ANSWER.list()} from admin_answers where key_hash = $1 and expires_at > $2`,
);

/** Stores a planned answer, replacing one that has ended; a guard that fails if there is a live one. */
export function insertAdminAnswer(planned: PlannedAnswer, now: number): Statement {
  return insertAnswer(...STORED_ANSWER.values({ ...planned, answer: planned.answer() }), now);
}

/** Answers to requests with an Idempotency-Key. */
export type AdminAnswerStore = ReturnType<typeof createAdminAnswerStore>;

/** Creates the store of answers of the admin API over a driver. */
export function createAdminAnswerStore(driver: Driver) {
  return {
    find: async (keyHash: Bytes32, now: number): Promise<AdminAnswerRow | undefined> =>
      (await driver.read(liveAnswer(keyHash, now)))[0],
  };
}
