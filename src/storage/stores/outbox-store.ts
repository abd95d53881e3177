import type { AuditWriter } from '../audit/audit-writer.ts';
import type { Driver } from '../drivers/driver.ts';
import type { AttemptOutcome, OutboxStore } from '../model/store-outbox.ts';
import { integerColumn, optionalIntegerColumn, textColumn } from '../statements/columns.ts';
import {
  countUnsent,
  endEvent,
  eventPage,
  failEvent,
  insertEvent,
  isEventDue,
  lastOutcomes,
  putOutcome,
  resendEvent,
  takeEvents,
  toOutboxRow,
  toOutcome,
  unsentEvents,
} from '../statements/outbox.ts';
import { writeAll, writeOne } from './guarded.ts';

/** Creates the outbox over a driver. */
export function createOutboxStore(driver: Driver, audit: AuditWriter): OutboxStore {
  return {
    add: async (event, now) => (await writeOne(driver, insertEvent(event, now))) !== undefined,
    take: async (now, leaseEnd, limit) => {
      // Mostly there is none: a read costs less than a commit.
      if ((await driver.read(isEventDue(now))).length === 0) return [];
      const [rows = []] = await writeAll(driver, [takeEvents(now, leaseEnd, limit)]);
      return rows.map(toOutboxRow);
    },
    delivered: async (id, now) => {
      await writeAll(driver, [endEvent(id, now), putOutcome({ at: now, eventId: id, reason: null })]);
    },
    failed: async (row, error, nextAt, now) => {
      const outcome = putOutcome({ at: now, eventId: row.id, reason: error });
      await writeAll(driver, [failEvent(row, error, nextAt, now), outcome]);
    },
    list: async (now, limit) => (await driver.scan(unsentEvents(now, limit))).map(toOutboxRow),
    page: async (page, now) => (await driver.scan(eventPage(page, now))).map(toOutboxRow),
    resend: async (id, now) =>
      (await audit.write([resendEvent(id, now)], { action: 'webhook.resent', target: id })).ok,
    counts: async (now) => {
      const [row] = await driver.scan(countUnsent(now));
      const dead = integerColumn(row?.[1]);
      return {
        ...{ pending: integerColumn(row?.[0]) - dead, dead },
        oldestPendingAt: optionalIntegerColumn(row?.[2]),
      };
    },
    lastOutcomes: async () => {
      const rows = await driver.read(lastOutcomes());
      const last = (result: string): AttemptOutcome | undefined =>
        rows.filter((row) => textColumn(row[0]) === result).map(toOutcome)[0];
      return { delivered: last('delivered'), failed: last('failed') };
    },
  };
}
