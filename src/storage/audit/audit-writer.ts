import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../errors/service-error.ts';
import { insertAdminAnswer } from '../admin-answers.ts';
import type { Driver, Statement } from '../drivers/driver.ts';
import { insertEvent } from '../outbox.ts';
import { type RowsOfAll, rowsOfAll } from '../transaction.ts';
import { hashOf } from './audit-chain.ts';
import {
  type AuditedChange,
  type AuditHead,
  type AuditRow,
  type AuditWriter,
  appendRow,
  type ChangeAuthor,
  readHead,
} from './audit-log.ts';
import { eventOfChange } from './change-events.ts';

/** Each lost race is a change by another process: this many in a row indicate a fault. */
const MAX_ROUNDS = 200;
const LONGEST_PAUSE_MS = 20;

/** Dependencies of `createAuditWriter`. */
export interface AuditWriterParts {
  readonly author: ChangeAuthor;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Whether changes that webhooks report are added to the outbox. */
  readonly sendsEvents?: boolean | undefined;
  /** Receives each row after its commit. */
  readonly onAppended?: ((row: AuditRow) => void) | undefined;
}

/**
 * Creates the writer of the changes of one author. The head of the log is read before a transaction and advanced in it,
 * which fails if another change came first; the transaction is then tried again on the new head.
 *
 * `write` throws ServiceError `admin.answered` if the author's planned answer was stored before.
 */
export function createAuditWriter(
  driver: Driver,
  { author, now, sendsEvents = false, onAppended }: AuditWriterParts,
): AuditWriter {
  return {
    async write(statements, change) {
      const event = sendsEvents ? eventOfChange(change) : undefined;
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const head = await readHead(driver);
        const at = now();
        const row = rowAfter(head, change, author, at);
        const { planned } = author;
        const answer = planned === undefined ? [] : [insertAdminAnswer(planned, at)];
        const outcome = await driver.write([
          ...answer,
          ...statements,
          ...appendRow(head, row),
          ...(event === undefined ? [] : [insertEvent(event, at)]),
        ]);
        if (outcome.ok) {
          onAppended?.(row);
          return {
            ok: true,
            results: outcome.results.slice(answer.length, answer.length + statements.length),
          };
        }
        const guard = outcome.guard - answer.length;
        if (guard < 0) throw new ServiceError('admin.answered');
        if (guard < statements.length) return { ok: false, guard };
        await delay(Math.random() * LONGEST_PAUSE_MS);
      }
      throw new ServiceError('store.unreachable', 'other processes keep changing the audit log');
    },
  };
}

/** Returns bytes as the audit log shows them: `0x` and lower-case hex. */
export function hexText(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}

/** Returns the first 8 hex digits of a SHA-256: names a value that must not be in the log. */
export function shortDigest(value: string | Uint8Array): string {
  return createHash('sha256').update(value).digest('hex').slice(0, 8);
}

/** Runs statements with an audit row in one transaction; returns false if a guard failed. */
export async function auditAllOrNothing(
  audit: AuditWriter,
  statements: readonly Statement[],
  change: AuditedChange,
): Promise<boolean> {
  return (await audit.write(statements, change)).ok;
}

/** Runs statements without guards and an audit row in one transaction; returns the rows of each. */
export async function auditAll<const S extends readonly Statement[]>(
  audit: AuditWriter,
  statements: S,
  change: AuditedChange,
): Promise<RowsOfAll<S>> {
  const outcome = await audit.write(statements, change);
  if (outcome.ok) return rowsOfAll(statements, outcome.results);
  throw new ServiceError('store.failed', `an unexpected guard failed: ${statements[outcome.guard]?.sql}`);
}

function rowAfter(
  former: AuditHead,
  { action, target, before, after }: AuditedChange,
  { actor, requestId }: ChangeAuthor,
  at: number,
): AuditRow {
  const row = {
    seq: former.seq + 1,
    at,
    actor,
    action,
    target,
    requestId: requestId ?? null,
    before: before === undefined ? null : JSON.stringify(before),
    after: after === undefined ? null : JSON.stringify(after),
  };
  return { ...row, hash: hashOf(former.hash, row) };
}
