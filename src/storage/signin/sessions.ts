import type { AuditedChange, AuditWriter } from '../audit/audit-log.ts';
import { auditAll, shortDigest } from '../audit/audit-writer.ts';
import { countRemoved, removeAll } from '../batches.ts';
import { bytes, columns, integer, type RowOf, required, selected, text } from '../columns.ts';
import type { Driver, SqlValue, Statement } from '../drivers/driver.ts';
import { eachOf, guard, point, scan, write } from '../sql.ts';
import { guarded, type Step, settled, writeAll } from '../transaction.ts';
import type { Bytes32 } from '../values.ts';
import { codeExists, insertCode, type NewCode, replaceCode } from './grants.ts';
import { ACCEPTED } from './proofs.ts';
import { answerFromSession, answerPushAgain, type PushAnswer } from './pushed-requests.ts';
import { MAX_ENDED } from './refresh-families.ts';

/** Maximum number of sessions of a person with a client (spec/sign-in.md#sessions). */
const MAX_SESSIONS = 20;
/**
 * Time for which a notice is sent: about the duration of all attempts (src/docs/spec/sign-in.md#back-channel-logout).
 */
const NOTICE_KEPT_MS = 86_400_000;

const SESSION = columns({
  /** SHA-256 of the value of the cookie. */
  sessionHash: bytes,
  /** Names the session in tokens. */
  sid: text,
  clientId: text,
  /** Digest of the client's registration when the session began. */
  clientHash: bytes,
  accepted: required(ACCEPTED.together()),
  createdAt: integer,
  expiresAt: integer,
});
/**
 * A session of a person with a client on one browser (spec/sign-in.md#sessions). Times are milliseconds since the
 * epoch.
 */
export type SessionRow = RowOf<typeof SESSION>;

const COUNT = columns({ count: selected('count(*)', integer) });

/** Change of the sessions of a browser at the end of a sign-in. */
export interface SessionChange {
  /** Hash of the cookie of the client's former session on the browser, which ends. */
  readonly former: Bytes32 | undefined;
  /** The session that begins. */
  readonly begun: SessionRow | undefined;
}

/** Place of a session in the list of its client. */
export type SessionPlace = Pick<SessionRow, 'createdAt' | 'sid'>;

/** Sessions of a client that are live, as far as its registration and the settings decide. */
export interface LiveSessions {
  readonly clientId: string;
  /** Digest of the client's registration. */
  readonly clientHash: Bytes32;
  /** Only sessions whose proof was verified after this time, in milliseconds since the epoch. */
  readonly provenAfter: number;
}

/** Sessions that end: one, or all of a client. */
export interface SessionEnd {
  readonly live: LiveSessions;
  /** Undefined for all sessions of the client. */
  readonly sid: string | undefined;
  /** Whether the client is to be told of those that are live (src/docs/spec/sign-in.md#back-channel-logout). */
  readonly notifies: boolean;
}

/** Condition of `LiveSessions`; `liveValues` returns its four values. */
const LIVE = 'client_id = $1 and client_hash = $2 and auth_time > $3 and expires_at > $4';

const sessionByHash = point(
  SESSION,
  `select ${SESSION.list()} from signin_sessions where session_hash = $1 and client_id = $2 and expires_at > $3`,
);
/** Fails if a session of a client has ended; locks it against its end until the commit. */
const sessionIsLive = guard(
  'update signin_sessions set client_id = client_id where session_hash = $1 and client_id = $2 and expires_at > $3 returning 1',
);
const sessionWithSid = guard('select 1 from signin_sessions where sid = $1');
const sessionBySid = point(
  SESSION,
  `select ${SESSION.list()} from signin_sessions where sid = $1 and expires_at > $2`,
);
const pageOf = eachOf(['first', 'after'], (page) =>
  scan(
    SESSION,
    `select ${SESSION.list()} from signin_sessions where ${LIVE}${page === 'first' ? '' : ' and (created_at, sid) < ($6, $7)'} order by created_at desc, sid desc limit $5`,
  ),
);
const countLive = scan(COUNT, `select ${COUNT.list()} from signin_sessions where ${LIVE}`);
/** Returns a list of sessions that is the same in each statement of a transaction. */
const oldest = (until: string): string =>
  `select sid from signin_sessions where client_id = $1 and created_at <= ${until} order by sid limit ${MAX_ENDED}`;
/** Adds a notice for the live sessions among the ending ones; precedes their end in a transaction. */
const insertNotices = eachOf(['one', 'all'], (ended) =>
  write(
    `insert into logout_notices (sid, client_id, sub, created_at, attempts, next_at, lease_ends_at, expires_at) select sid, client_id, sub, $4, 0, $4, 0, $5 from signin_sessions where ${LIVE} and ${ended === 'one' ? 'sid = $6' : `sid in (${oldest('$4')})`} on conflict do nothing`,
  ),
);
const endOne = write('delete from signin_sessions where client_id = $1 and sid = $2 returning 1');
/** Ends the sessions that began until a time, at most `MAX_ENDED`. */
const endOldest = write(
  `delete from signin_sessions where client_id = $1 and sid in (${oldest('$2')}) returning 1`,
);
const endAll = write('delete from signin_sessions where client_id = $1');
/** Ends sessions of a client, at most a number of them; returns a row for each. */
const endSome = write(
  'delete from signin_sessions where sid in (select sid from signin_sessions where client_id = $1 limit $2) returning 1',
);
const endByHash = write('delete from signin_sessions where session_hash = $1');
const insertSession = write(`insert into signin_sessions (${SESSION.list()}) values (${SESSION.slots()})`);
/** Ends the oldest sessions of a person beyond the bound. */
const dropOldSessions = write(
  `delete from signin_sessions where client_id = $1 and sub = $2 and sid not in (select sid from signin_sessions where client_id = $1 and sub = $2 order by created_at desc, sid limit ${MAX_SESSIONS})`,
);

/** A guard that fails unless there is a session with this name. */
export function sessionExists(sid: string): Statement {
  return sessionWithSid(sid);
}

/** Ends all sessions of a client. */
export function endClientSessions(clientId: string): Statement {
  return endAll(clientId);
}

/** Ends the former session of a browser and begins another; the oldest of a person ends beyond the bound. */
export function sessionStatements({ former, begun }: SessionChange): Statement[] {
  const ending = former === undefined ? [] : [endByHash(former)];
  if (begun === undefined) return ending;
  return [
    ...ending,
    insertSession(...SESSION.values(begun)),
    dropOldSessions(begun.clientId, begun.accepted.sub),
  ];
}

/**
 * Ends the sessions of a client, a thousand in each transaction. A transaction that must leave none ends the few that
 * began since: one that ended hundreds of thousands would exceed the time limit of the store each time it is tried.
 */
export async function endSessionsInBatches(driver: Driver, clientId: string): Promise<void> {
  await removeAll((limit) => countRemoved(driver, endSome(clientId, limit)), MAX_ENDED);
}

/** Sessions of sign-in. Every write is durable when it resolves. */
export type SessionStore = ReturnType<typeof createSessionStore>;

/** Creates the store of sessions over a driver. */
export function createSessionStore(driver: Driver, audit: AuditWriter) {
  return {
    /** Looks up a session of a client that has not expired. */
    find: async (sessionHash: Bytes32, clientId: string, now: number): Promise<SessionRow | undefined> =>
      (await driver.read(sessionByHash(sessionHash, clientId, now)))[0],
    /**
     * Stores the code of an answer without a proof, if it has one.
     *
     * @param pushed - The answer to a pushed request; without one, `push_used` is not returned.
     * @returns `ended` if the session has ended.
     */
    answer(
      { sessionHash, clientId }: Pick<SessionRow, 'sessionHash' | 'clientId'>,
      code: NewCode | undefined,
      now: number,
      pushed?: PushAnswer,
    ): Promise<'answered' | 'ended' | 'push_used'> {
      const steps: Step<'ended' | 'push_used'>[] = [[sessionIsLive(sessionHash, clientId, now), 'ended']];
      if (pushed !== undefined) steps.push(...answerFromSession(pushed, now));
      if (code !== undefined) steps.push([insertCode(code)]);
      const write = (): Promise<'answered' | 'ended' | 'push_used'> => guarded(driver, steps, 'answered');
      if (code === undefined) return write();
      return settled(driver, { write, done: 'answered', own: codeExists(code.codeHash) });
    },
    /**
     * Stores another code of an answer to a pushed request, and removes the former one, which has expired.
     *
     * @returns `ended` if the session has ended, `lost` if another caller was faster or the request has expired, `redeemed`
     *   if the former code was redeemed.
     */
    answerAgain(
      pushed: PushAnswer,
      { from, former, code }: { readonly from: number; readonly former: Bytes32; readonly code: NewCode },
      now: number,
    ): Promise<'answered' | 'ended' | 'lost' | 'redeemed'> {
      const { use, sessionHash } = pushed;
      const steps: Step<'ended' | 'lost' | 'redeemed'>[] = [
        [sessionIsLive(sessionHash, use.clientId, now), 'ended'],
        [answerPushAgain(pushed, from, now), 'lost'],
        ...replaceCode(former, code),
      ];
      const write = (): Promise<'answered' | 'ended' | 'lost' | 'redeemed'> =>
        guarded(driver, steps, 'answered');
      return settled(driver, { write, done: 'answered', own: codeExists(code.codeHash) });
    },
    /** Ends all sessions of clients, which are not told. */
    async endOfClients(clientIds: readonly string[]): Promise<void> {
      for (const clientId of clientIds) await endSessionsInBatches(driver, clientId);
    },
    /** Looks up a session by its name. */
    findBySid: async (sid: string, now: number): Promise<SessionRow | undefined> =>
      (await driver.read(sessionBySid(sid, now)))[0],
    /** Lists one page of live sessions of a client, the latest first. */
    page(live: LiveSessions, now: number, limit: number, after?: SessionPlace): Promise<SessionRow[]> {
      const values = [...liveValues(live, now), limit];
      return driver.scan(
        after === undefined ? pageOf.first(...values) : pageOf.after(...values, after.createdAt, after.sid),
      );
    },
    /** Counts the live sessions of a client. */
    count: async (live: LiveSessions, now: number): Promise<number> =>
      (await driver.scan(countLive(...liveValues(live, now))))[0]?.count ?? 0,
    /** Ends sessions at the request of people, and writes the notices to their clients in the same transaction. */
    async end(ends: readonly SessionEnd[], now: number): Promise<void> {
      const statements = ends.flatMap((end) => endStatements(end, now));
      if (statements.length > 0) await writeAll(driver, statements);
    },
    /** Like `end` for what an operator ends, and records it in the audit log; returns how many sessions ended. */
    endByOperator: (end: SessionEnd, now: number): Promise<number> =>
      removeAll(
        async () => (await auditAll(audit, endStatements(end, now), changeOf(end))).at(-1)?.length ?? 0,
        MAX_ENDED,
      ),
  };
}

/** Ends sessions of a client, live or not; the last statement returns a row for each. */
function endStatements({ live, sid, notifies }: SessionEnd, now: number): Statement[] {
  const { clientId } = live;
  const values = [...liveValues(live, now), now + NOTICE_KEPT_MS];
  if (sid === undefined) {
    return [...(notifies ? [insertNotices.all(...values)] : []), endOldest(clientId, now)];
  }
  return [...(notifies ? [insertNotices.one(...values, sid)] : []), endOne(clientId, sid)];
}

/** The log does not contain the id of a session: its owner may know the person. */
function changeOf({ live, sid }: SessionEnd): AuditedChange {
  if (sid === undefined) return { action: 'session.all_revoked', target: live.clientId };
  return {
    action: 'session.revoked',
    target: live.clientId,
    before: { session: `sid:${shortDigest(sid)}` },
  };
}

/** Returns the values of `LIVE`. */
function liveValues({ clientId, clientHash, provenAfter }: LiveSessions, now: number): SqlValue[] {
  return [clientId, clientHash, provenAfter, now];
}
