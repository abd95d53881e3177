import type { AuditedChange, AuditWriter } from '../../audit/audit-log.ts';
import { auditAll, shortDigest } from '../../audit/audit-writer.ts';
import { removeAll } from '../../batches.ts';
import type { Driver, Statement } from '../../drivers/driver.ts';
import type { SessionEnd } from '../../model/store-logout.ts';
import type { SessionRow } from '../../model/store-sessions.ts';
import type { SessionStore } from '../../model/store-signin.ts';
import { integerColumn } from '../../statements/columns.ts';
import { codeExists, insertCode } from '../../statements/signin/grants.ts';
import { usePushedRequest } from '../../statements/signin/pushed-requests.ts';
import {
  countSessions,
  endSessions,
  insertNotices,
  MAX_ENDED,
  sessionByHash,
  sessionBySid,
  sessionIsLive,
  sessionPage,
  toSessionRow,
} from '../../statements/signin/sessions.ts';
import { guarded, type Step, settled, writeAll } from '../../transaction.ts';
import { endSessionsInBatches } from './end-grants.ts';

/** Creates the store of sessions over a driver. */
export function createSessionStore(driver: Driver, audit: AuditWriter): SessionStore {
  const find = async (statement: Statement): Promise<SessionRow | undefined> => {
    const [row] = await driver.read(statement);
    return row === undefined ? undefined : toSessionRow(row);
  };
  return {
    find: (sessionHash, clientId, now) => find(sessionByHash(sessionHash, clientId, now)),
    findBySid: (sid, now) => find(sessionBySid(sid, now)),
    page: async (live, now, limit, after) =>
      (await driver.scan(sessionPage(live, now, limit, after))).map(toSessionRow),
    count: async (live, now) => integerColumn((await driver.scan(countSessions(live, now)))[0]?.[0]),
    end: async (ends, now) => {
      if (ends.length > 0)
        await writeAll(
          driver,
          ends.flatMap((end) => endStatements(end, now)),
        );
    },
    endByOperator: async (end, now) => {
      const change = changeOf(end);
      const endSome = async (): Promise<number> =>
        (await auditAll(audit, endStatements(end, now), change)).at(-1)?.length ?? 0;
      return await removeAll(endSome, MAX_ENDED);
    },
    answer: ({ sessionHash, clientId }, code, now, pushed) => {
      const steps: Step<'ended' | 'push_used'>[] = [[sessionIsLive(sessionHash, clientId, now), 'ended']];
      if (pushed !== undefined) steps.push([usePushedRequest(pushed, now), 'push_used']);
      if (code !== undefined) steps.push([insertCode(code)]);
      const write = (): Promise<'answered' | 'ended' | 'push_used'> => guarded(driver, steps, 'answered');
      if (code === undefined) return write();
      return settled(driver, { write, done: 'answered', own: codeExists(code.codeHash) });
    },
    endOfClients: async (clientIds) => {
      for (const clientId of clientIds) await endSessionsInBatches(driver, clientId);
    },
  };
}

function endStatements(end: SessionEnd, now: number): Statement[] {
  return [...(end.notifies ? [insertNotices(end, now)] : []), endSessions(end, now)];
}

/** The log does not name a session: who has its name may know the person. */
function changeOf({ live, sid }: SessionEnd): AuditedChange {
  if (sid === undefined) return { action: 'session.all_revoked', target: live.clientId };
  return {
    ...{ action: 'session.revoked', target: live.clientId },
    before: { session: `sid:${shortDigest(sid)}` },
  };
}
