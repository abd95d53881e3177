import { createHash } from 'node:crypto';
import { BINDINGS } from '../../config/apps/fields.ts';
import { isoTime } from '../../text.ts';
import type { AuditWriter } from '../audit/audit-log.ts';
import { auditAllOrNothing, shortDigest } from '../audit/audit-writer.ts';
import { countRemoved, removeAll } from '../batches.ts';
import { bytes, columns, integer, optional, type RowOf, selected, text, word } from '../columns.ts';
import { type Driver, rowsOf, type Statement } from '../drivers/driver.ts';
import { eachOf, guard, point, returning, scan, write } from '../sql.ts';
import { allOrNothing, type Step } from '../transaction.ts';
import type { Bytes32 } from '../values.ts';
import { MAX_ENDED } from './refresh-families.ts';

/** Maximum number of World ID sessions of a person with a client; the least recently used one is forgotten. */
const MAX_SESSIONS = 20;
/** Maximum number of pointers of one kind of a person with a client. */
const MAX_POINTERS = 20;
/** Maximum number of people of a client that one browser recognises. */
const MAX_PEOPLE_OF_BROWSER = 5;

const SESSION = columns({
  clientId: text,
  /** Commitment and OPRF seed: 64 bytes. */
  sessionId: bytes,
  sub: bytes,
  /** How the session was tied to the person. */
  binding: word(BINDINGS),
  createdAt: integer,
  /** Time of the last proof of the session. */
  usedAt: integer,
  expiresAt: integer,
});
/** A session of World ID 4.0 of a person with a client (spec/sign-in.md#people). Times are milliseconds since the epoch. */
export type WorldIdSessionRow = RowOf<typeof SESSION>;
const STORED_SESSION = columns({ ...SESSION.members, personHash: bytes });

/** What finds a session of a person: the cookie of a browser, or a passkey. */
export const POINTER_KINDS = ['cookie', 'passkey'] as const;

/** Kind of a pointer. */
export type PointerKind = (typeof POINTER_KINDS)[number];

const POINTER = columns({
  /** SHA-256 of the value of the cookie, or of the user handle of the passkey. */
  pointerHash: bytes,
  clientId: text,
  sub: bytes,
  /** The session that is asked for. */
  sessionId: bytes,
  kind: word(POINTER_KINDS),
  /** Of a passkey: its id in base64url, its public key as a COSE key and its signature counter; null for a cookie. */
  credentialId: optional(text),
  publicKey: optional(bytes),
  signCount: optional(integer),
  createdAt: integer,
  usedAt: integer,
  expiresAt: integer,
});
/** A pointer to a session of a person. Times are milliseconds since the epoch. */
export type PointerRow = RowOf<typeof POINTER>;

const FOUND = columns({
  sub: bytes,
  sessionId: bytes,
  binding: selected('s.binding', word(BINDINGS)),
});
/** A person whom a pointer finds. */
export type FoundPerson = RowOf<typeof FOUND>;

const NUMBER = columns({ number: integer });
const SUB = columns({ sub: bytes });
const COUNT = columns({ count: selected('count(distinct person_hash)', integer) });
const PERSON = columns({
  /** SHA-256 of the sub. */
  personHash: bytes,
  sessions: selected('count(*)', integer),
  createdAt: selected('min(created_at)', integer),
  usedAt: selected('max(used_at)', integer),
});
/** A person of a client, for its operator. */
export type PersonRow = RowOf<typeof PERSON>;

/** What a proof showed about a person, to be stored with the end of its sign-in. */
export interface SeenPerson {
  readonly session: WorldIdSessionRow;
  /** Whether the session was known: it is then not written anew if it was forgotten meanwhile. */
  readonly isKnown: boolean;
  /** The cookie of the browser; undefined if it has none. */
  readonly pointer: PointerRow | undefined;
  /** Begin of the sign-in: passkeys that were used since are kept as long as the session, and find it from now on. */
  readonly beganAt: number;
}

const OF_PERSON = 'client_id = $1 and sub = $2';

const aliasOf = point(
  columns({ sub: bytes }),
  'select sub from signin_aliases where client_id = $1 and alias = $2',
);
/** Fails if the person is one who was added to another meanwhile. */
const isNoAlias = guard(
  'select 1 from (select 1 as one) as it where not exists (select 1 from signin_aliases where client_id = $1 and alias = $2)',
);
const putAlias = write(
  'insert into signin_aliases (client_id, alias, sub, created_at) values ($1,$2,$3,$4) on conflict (alias, client_id) do update set sub = excluded.sub',
);
/** Of each, `$1` is the client, `$2` the sub that is added and `$3` the one that stays. */
const moveAliases = write('update signin_aliases set sub = $3 where client_id = $1 and sub = $2');
const dropTwinPointers = write(
  'delete from signin_pointers where client_id = $1 and sub = $2 and pointer_hash in (select pointer_hash from signin_pointers where client_id = $1 and sub = $3)',
);
const movePointers = write('update signin_pointers set sub = $3 where client_id = $1 and sub = $2');
const moveSessions = write(
  'update worldid_sessions set sub = $3, person_hash = $4 where client_id = $1 and sub = $2',
);
/** Fails if the session is of another person. */
const putSession = guard(
  `insert into worldid_sessions as s (${STORED_SESSION.list()}) values (${STORED_SESSION.slots()}) on conflict (client_id, session_id) do update set used_at = excluded.used_at, expires_at = excluded.expires_at where s.sub = excluded.sub returning 1`,
);
/** Fails if the session has been forgotten. */
const useSession = guard(
  'update worldid_sessions set used_at = $4, expires_at = $5 where client_id = $1 and session_id = $2 and sub = $3 returning 1',
);
const putPointer = write(
  `insert into signin_pointers (${POINTER.list()}) values (${POINTER.slots()}) on conflict (pointer_hash, sub) do update set session_id = excluded.session_id, credential_id = excluded.credential_id, public_key = excluded.public_key, sign_count = excluded.sign_count, used_at = excluded.used_at, expires_at = excluded.expires_at`,
);
const dropOldSessions = write(
  `delete from worldid_sessions where ${OF_PERSON} and session_id not in (select session_id from worldid_sessions where ${OF_PERSON} order by used_at desc, session_id limit ${MAX_SESSIONS})`,
);
const dropOldPointers = write(
  `delete from signin_pointers where ${OF_PERSON} and kind = $3 and pointer_hash not in (select pointer_hash from signin_pointers where ${OF_PERSON} and kind = $3 order by used_at desc, pointer_hash limit ${MAX_POINTERS})`,
);
const dropOldPeople = write(
  `delete from signin_pointers where pointer_hash = $1 and sub not in (select sub from signin_pointers where pointer_hash = $1 order by used_at desc, sub limit ${MAX_PEOPLE_OF_BROWSER})`,
);
const peopleOfPointer = point(
  FOUND,
  `select ${FOUND.list('p')} from signin_pointers p join worldid_sessions s on s.client_id = p.client_id and s.session_id = p.session_id where p.pointer_hash = $1 and p.client_id = $2 and p.kind = $3 and p.expires_at > $4 and s.expires_at > $4 order by p.used_at desc, p.sub limit ${MAX_PEOPLE_OF_BROWSER}`,
);
const personBySub = point(
  FOUND,
  `select ${FOUND.list('s')} from worldid_sessions s where s.client_id = $1 and s.sub = $2 and s.expires_at > $3 order by s.used_at desc, s.session_id limit 1`,
);
const passkeyByHash = point(
  POINTER,
  `select ${POINTER.list()} from signin_pointers where pointer_hash = $1 and kind = 'passkey' and expires_at > $2`,
);
const usePasskey = write(
  "update signin_pointers set sign_count = $2, used_at = $3 where pointer_hash = $1 and kind = 'passkey'",
);
const extendPasskeys = write(
  "update signin_pointers set session_id = $3, expires_at = $4 where client_id = $1 and sub = $2 and kind = 'passkey' and used_at >= $5",
);
/** Fails if the session that the pointer is to find has been forgotten. */
const sessionOfPointer = guard(
  'select 1 from worldid_sessions where client_id = $1 and session_id = $2 and sub = $3',
);
const sessionsOfPerson = point(
  SESSION,
  `select ${SESSION.list()} from worldid_sessions where ${OF_PERSON} and expires_at > $3 order by used_at desc, session_id limit ${MAX_SESSIONS}`,
);
const pointersOfPerson = point(
  POINTER,
  `select ${POINTER.list()} from signin_pointers where ${OF_PERSON} and expires_at > $3 order by used_at desc, pointer_hash limit ${2 * MAX_POINTERS}`,
);
const peoplePage = scan(
  PERSON,
  `select ${PERSON.list()} from worldid_sessions where client_id = $1 and expires_at > $2 and person_hash > $3 group by person_hash order by person_hash limit $4`,
);
const countPeople = scan(
  COUNT,
  `select ${COUNT.list()} from worldid_sessions where client_id = $1 and expires_at > $2`,
);
const subOfPerson = point(
  SUB,
  `select ${SUB.list()} from worldid_sessions where client_id = $1 and person_hash = $2 and expires_at > $3 limit 1`,
);
const forgetSession = guard(
  'delete from worldid_sessions where client_id = $1 and sub = $2 and session_id = $3 returning 1',
);
const forgetPointersTo = write(
  'delete from signin_pointers where client_id = $1 and sub = $2 and session_id = $3',
);
const forgetPointer = guard(
  'delete from signin_pointers where client_id = $1 and sub = $2 and pointer_hash = $3 returning 1',
);
const dropPointer = write(
  'delete from signin_pointers where client_id = $1 and sub = $2 and pointer_hash = $3',
);
const forgetBrowser = write(
  "delete from signin_pointers where client_id = $1 and pointer_hash = $2 and kind = 'cookie'",
);
const forgetAllSessions = guard(`delete from worldid_sessions where ${OF_PERSON} returning 1`);
const forgetAllPointers = write(`delete from signin_pointers where ${OF_PERSON}`);
const forgetClient = eachOf(
  ['worldid_sessions', 'signin_pointers', 'signin_aliases', 'signin_beginnings'],
  (table) => write(`delete from ${table} where client_id = $1`),
);
const KEYS = { worldid_sessions: 'client_id, session_id', signin_pointers: 'pointer_hash, sub' } as const;
const PEOPLE_TABLES = ['worldid_sessions', 'signin_pointers'] as const;
/** Forgets people of a client, a number of rows at most; returns a row for each. */
const forgetSome = eachOf(PEOPLE_TABLES, (table) =>
  write(
    `delete from ${table} where (${KEYS[table]}) in (select ${KEYS[table]} from ${table} where client_id = $2 limit $1) returning 1`,
  ),
);
/** Like `forgetSome` for people of all clients. */
const forgetSomeOfAll = eachOf(PEOPLE_TABLES, (table) =>
  write(
    `delete from ${table} where (${KEYS[table]}) in (select ${KEYS[table]} from ${table} limit $1) returning 1`,
  ),
);
const forgetEverybody = eachOf(PEOPLE_TABLES, (table) => write(`delete from ${table}`));
const insertBeginning = returning(
  NUMBER,
  'insert into signin_beginnings (beginning_hash, client_id, number, created_at, expires_at) select $1, $2, coalesce(max(number), 1) + 1, $3, $4 from signin_beginnings where client_id = $2 on conflict (client_id, number) do nothing returning number',
);
const beginningByHash = point(
  NUMBER,
  'select number from signin_beginnings where beginning_hash = $1 and client_id = $2 and used_at is null and expires_at > $3',
);
/** Fails if the permission was used by another sign-in. */
const useBeginning = guard(
  'update signin_beginnings set used_at = $3 where client_id = $1 and number = $2 and used_at is null returning 1',
);
/** Writes what a sign-in showed about a person; the first statement is a guard that fails if the session is of another or was forgotten. */
export function seenSteps({ session, isKnown, pointer, beganAt }: SeenPerson): Step<'other_person'>[] {
  const { clientId, sub, sessionId, usedAt, expiresAt } = session;
  const statements: Statement[] = [
    dropOldSessions(clientId, sub),
    extendPasskeys(clientId, sub, sessionId, expiresAt, beganAt),
  ];
  if (pointer !== undefined) {
    statements.push(...pointerStatements(pointer));
  }
  return [
    [
      isKnown
        ? useSession(clientId, sessionId, sub, usedAt, expiresAt)
        : putSession(...STORED_SESSION.values({ ...session, personHash: personHashOf(sub) })),
      'other_person',
    ],
    ...statements.map((statement): Step<never> => [statement]),
  ];
}

/** Two subs of a client that are one from now on. */
export interface LinkedSubs {
  readonly clientId: string;
  /** The sub that is added. */
  readonly added: Bytes32;
  /** The sub that stays. */
  readonly sub: Bytes32;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Makes two subs one: sessions, pointers and aliases of the added one are those of the other. Begins with a guard. */
export function linkStatements({ clientId, added, sub, at }: LinkedSubs): Statement[] {
  const both = [clientId, added, sub];
  return [
    isNoAlias(clientId, sub),
    putAlias(clientId, added, sub, at),
    moveAliases(...both),
    dropTwinPointers(...both),
    movePointers(...both),
    moveSessions(...both, personHashOf(sub)),
  ];
}

function pointerStatements(pointer: PointerRow): Statement[] {
  const { pointerHash, clientId, sub, kind } = pointer;
  return [
    putPointer(...POINTER.values(pointer)),
    dropOldPointers(clientId, sub, kind),
    dropOldPeople(pointerHash),
  ];
}

/** A guard that uses a permission to begin anew; fails if another sign-in did. @param now - Milliseconds since the epoch. */
export function takeBeginning(clientId: string, number: number, now: number): Statement {
  return useBeginning(clientId, number, now);
}

/** Forgets everybody whom a client knows. */
export function forgetPeopleOf(clientId: string): Statement[] {
  return Object.values(forgetClient).map((make) => make(clientId));
}

/** Forgets everybody whom clients know. Permissions to begin anew stay: their numbers are not given again. */
export function forgetPeople(): Statement[] {
  return PEOPLE_TABLES.map((table) => forgetEverybody[table]());
}

/**
 * Forgets the people of a client, or of all without one, as `endSessionsInBatches` ends sessions.
 *
 * @returns Number of sessions of World ID 4.0 that were forgotten.
 */
export async function forgetPeopleInBatches(driver: Driver, clientId?: string): Promise<number> {
  const forget = async (table: (typeof PEOPLE_TABLES)[number]): Promise<number> => {
    const some = (limit: number): Statement =>
      clientId === undefined ? forgetSomeOfAll[table](limit) : forgetSome[table](limit, clientId);
    return await removeAll((limit) => countRemoved(driver, some(limit)), MAX_ENDED);
  };
  const count = await forget('worldid_sessions');
  await forget('signin_pointers');
  return count;
}

/** Returns the SHA-256 of a sub, which names a person to operators; its first digits are those of `shortDigest`. */
export function personHashOf(sub: Bytes32): Bytes32 {
  return new Uint8Array(createHash('sha256').update(sub).digest());
}

/** One thing to forget about a person, or all. */
export type Forgotten =
  | { readonly sessionId: Uint8Array; readonly pointerHash?: undefined }
  | { readonly pointerHash: Uint8Array; readonly sessionId?: undefined }
  | { readonly sessionId?: undefined; readonly pointerHash?: undefined };

/** People who signed in with World ID 4.0, and what finds them again. Every write is durable when it resolves. */
export type PeopleStore = ReturnType<typeof createPeopleStore>;

/** Creates the store of people over a driver. */
export function createPeopleStore(driver: Driver, audit: AuditWriter) {
  return {
    /** Lists the people whom a pointer finds, the last one first; at most five for a cookie, one for a passkey. */
    findByPointer: (
      pointerHash: Bytes32,
      clientId: string,
      kind: PointerKind,
      now: number,
    ): Promise<FoundPerson[]> => driver.read(peopleOfPointer(pointerHash, clientId, kind, now)),
    /** Finds the session of a person that was proven last. */
    findBySub: async (clientId: string, sub: Bytes32, now: number): Promise<FoundPerson | undefined> =>
      (await driver.read(personBySub(clientId, sub, now)))[0],
    /** Returns the sub that a sub was added to, or the same one. */
    resolve: async (clientId: string, sub: Bytes32): Promise<Bytes32> =>
      (await driver.read(aliasOf(clientId, sub)))[0]?.sub ?? sub,
    /** Finds a passkey by the hash of its user handle. */
    findPasskey: async (pointerHash: Bytes32, now: number): Promise<PointerRow | undefined> =>
      (await driver.read(passkeyByHash(pointerHash, now)))[0],
    /**
     * Stores a pointer of a person; false if its session has been forgotten.
     *
     * @param former - Hash of the pointer that it replaces.
     */
    addPointer: (pointer: PointerRow, former?: Bytes32): Promise<boolean> =>
      allOrNothing(driver, [
        sessionOfPointer(pointer.clientId, pointer.sessionId, pointer.sub),
        ...(former === undefined ? [] : [dropPointer(pointer.clientId, pointer.sub, former)]),
        ...pointerStatements(pointer),
      ]),
    /** Stores the counter of the last signature of a passkey. */
    async usePasskey(pointerHash: Bytes32, signCount: number, now: number): Promise<void> {
      await driver.write([usePasskey(pointerHash, signCount, now)]);
    },
    /** Lists what is stored about a person. */
    async of(
      clientId: string,
      sub: Bytes32,
      now: number,
    ): Promise<{ readonly sessions: WorldIdSessionRow[]; readonly pointers: PointerRow[] }> {
      const sessions = await driver.read(sessionsOfPerson(clientId, sub, now));
      return { sessions, pointers: await driver.read(pointersOfPerson(clientId, sub, now)) };
    },
    /** Finds the sub of a person by its SHA-256. */
    findSub: async (clientId: string, personHash: Bytes32, now: number): Promise<Bytes32 | undefined> =>
      (await driver.read(subOfPerson(clientId, personHash, now)))[0]?.sub,
    /**
     * Lists one page of the people of a client, by the SHA-256 of their subs.
     *
     * @param after - That of the last one of the page before.
     */
    page: (clientId: string, now: number, limit: number, after?: Bytes32): Promise<PersonRow[]> =>
      driver.scan(peoplePage(clientId, now, after ?? new Uint8Array(0), limit)),
    /** Counts the people of a client. */
    count: async (clientId: string, now: number): Promise<number> =>
      (await driver.scan(countPeople(clientId, now)))[0]?.count ?? 0,
    /** Forgets something, or all, about a person at the request of that person; false if there was nothing. */
    async forget(clientId: string, sub: Bytes32, what: Forgotten = {}): Promise<boolean> {
      return await allOrNothing(driver, forgetStatements(clientId, sub, what));
    },
    /** Forgets everybody on a browser, by the hash of its cookie. */
    async forgetBrowser(clientId: string, pointerHash: Bytes32): Promise<void> {
      await driver.write([forgetBrowser(clientId, pointerHash)]);
    },
    /** Like `forget` for an operator, and records it in the audit log. */
    async forgetByOperator(clientId: string, sub: Bytes32, what: Forgotten = {}): Promise<boolean> {
      const named = what.sessionId ?? what.pointerHash;
      const change = {
        action: 'person.forgotten',
        target: clientId,
        before: {
          person: `sub:${shortDigest(sub)}`,
          ...(named === undefined ? {} : { forgotten: shortDigest(named) }),
        },
      };
      return await auditAllOrNothing(audit, forgetStatements(clientId, sub, what), change);
    },
    /**
     * Permits a person to begin anew, and records it in the audit log.
     *
     * @param hash - SHA-256 of the code that the person brings.
     * @returns The number of the action; undefined if another permission took it at the same time.
     */
    async addBeginning(
      clientId: string,
      hash: Bytes32,
      now: number,
      expiresAt: number,
    ): Promise<number | undefined> {
      const after = { expires_at: isoTime(expiresAt) };
      const change = { action: 'person.beginning_allowed', target: clientId, after };
      const inserted = insertBeginning(hash, clientId, now, expiresAt);
      const outcome = await audit.write([{ ...inserted, isGuard: true }], change);
      return outcome.ok ? rowsOf(inserted, outcome.results[0] ?? [])[0]?.number : undefined;
    },
    /** Finds the number of an unused permission. */
    findBeginning: async (clientId: string, hash: Bytes32, now: number): Promise<number | undefined> =>
      (await driver.read(beginningByHash(hash, clientId, now)))[0]?.number,
  };
}

/** The first statement is a guard, which fails if there is nothing to forget. */
function forgetStatements(
  clientId: string,
  sub: Bytes32,
  { sessionId, pointerHash }: Forgotten,
): Statement[] {
  if (sessionId !== undefined) {
    return [forgetSession(clientId, sub, sessionId), forgetPointersTo(clientId, sub, sessionId)];
  }
  if (pointerHash !== undefined) return [forgetPointer(clientId, sub, pointerHash)];
  return [forgetAllSessions(clientId, sub), forgetAllPointers(clientId, sub)];
}
