import type { AuditWriter } from '../audit/audit-log.ts';
import { shortDigest } from '../audit/audit-writer.ts';
import { removeAll } from '../batches.ts';
import { bytes, columns, integer, optional, type RowOf, required, text } from '../columns.ts';
import type { Driver, SqlValue, Statement } from '../drivers/driver.ts';
import { eachOf, guard, point, scan, write } from '../sql.ts';
import { guarded, type Step, settled, writeAll } from '../transaction.ts';
import type { Bytes32, UsedProof } from '../values.ts';
import { ACCEPTED, insertUsedProof } from './proofs.ts';

/** Sessions, or families of refresh tokens, that one transaction ends. */
export const MAX_ENDED = 1000;

const FAMILY = columns({
  /** SHA-256 of the lookup key, which all tokens of the family share. */
  lookupHash: bytes,
  /** SHA-256 of the token in force. */
  tokenHash: bytes,
  /** A UUID; the claim `family` of access tokens. */
  familyId: text,
  clientId: text,
  /** Granted scopes, separated by spaces. */
  scope: text,
  /** Session of the sign-in; null without one. */
  sid: optional(text),
  /** Thumbprint of the key that the tokens are bound to; null without one. */
  jkt: optional(text),
  createdAt: integer,
  /** Time at which the current token was issued. */
  lastUsedAt: integer,
  /** Expiry of the last access token of the family. */
  tokensEndAt: integer,
  /** Expiry of the family; a use does not extend it. */
  expiresAt: integer,
  accepted: required(ACCEPTED.together()),
});
/**
 * A family of refresh tokens: the token that came with a code, and those that replaced it
 * (spec/sign-in.md#refresh-tokens). Times are milliseconds since the epoch.
 */
export type RefreshFamilyRow = RowOf<typeof FAMILY>;

/** Members of a new family that its code does not have. */
export type NewRefreshFamily = Pick<
  RefreshFamilyRow,
  'lookupHash' | 'tokenHash' | 'scope' | 'sid' | 'jkt' | 'expiresAt'
>;

/** Replacement of the refresh token in force. */
export interface RefreshRotation {
  readonly lookupHash: Bytes32;
  /** Hash of the token in force. */
  readonly from: Bytes32;
  /** Hash of the token that replaces it. */
  readonly to: Bytes32;
  /** Expiry of the access token to be issued. */
  readonly tokensEndAt: number;
  /** Proof of possession, recorded as used in the same transaction. */
  readonly proof?: UsedProof;
}

/** Place of a family in the list of an app. */
export type RefreshFamilyPlace = Pick<RefreshFamilyRow, 'createdAt' | 'familyId'>;

const OF_PERSON = 'client_id = $1 and sub = $2';
/** Conditions on the families that a transaction locks or ends. */
const WHERE = {
  lookup: 'lookup_hash = $1',
  id: 'family_id = $1',
  idOfClient: 'client_id = $1 and family_id = $2',
  client: 'client_id = $1',
  person: OF_PERSON,
  oldest: `${OF_PERSON} and lookup_hash not in (select lookup_hash from refresh_families where ${OF_PERSON} order by created_at desc, lookup_hash limit $3)`,
  marked: 'expires_at = 0',
} as const;

const insertRow = write(`insert into refresh_families (${FAMILY.list()}) values (${FAMILY.slots()})`);
const familyByLookup = point(
  FAMILY,
  `select ${FAMILY.list()} from refresh_families where lookup_hash = $1 and expires_at > $2`,
);
const familyPage = scan(
  FAMILY,
  `select ${FAMILY.list()} from refresh_families where client_id = $1 and expires_at > $2 and (created_at, family_id) < ($3, $4) order by created_at desc, family_id desc limit $5`,
);
/** Replaces the token in force; fails if another one is in force or the family has ended. */
const rotateToken = guard(
  'update refresh_families set token_hash = $3, last_used_at = $4, tokens_end_at = case when tokens_end_at > $5 then tokens_end_at else $5 end where lookup_hash = $1 and token_hash = $2 and expires_at > $4 returning 1',
);
/** Fails if this token of the family is not in force. */
const tokenInForce = guard('select 1 from refresh_families where lookup_hash = $1 and token_hash = $2');
/** Marks families of a client, at most a number of them; no other row has this end. */
const markSome = write(
  'update refresh_families set expires_at = 0 where lookup_hash in (select lookup_hash from refresh_families where client_id = $1 limit $2)',
);
const lockFamilies = eachOf(['lookup', 'id', 'idOfClient', 'client', 'person'], (set) =>
  write(`update refresh_families set last_used_at = last_used_at where ${WHERE[set]}`),
);
const REMOVED = ['lookup', 'id', 'idOfClient', 'client', 'oldest', 'marked'] as const;
const revokeFamilies = eachOf(REMOVED, (set) =>
  write(
    `insert into revoked_tokens as t (jti, expires_at) select family_id, tokens_end_at from refresh_families where ${WHERE[set]} on conflict (jti) do update set expires_at = excluded.expires_at where t.expires_at < excluded.expires_at`,
  ),
);
const deleteFamilies = eachOf(REMOVED, (set) =>
  write(`delete from refresh_families where ${WHERE[set]} returning 1`),
);

/** Adds a family. */
export function insertFamily(family: RefreshFamilyRow): Statement {
  return insertRow(...FAMILY.values(family));
}

/** Ends the family with this id, or none; the last statement returns a row for it. */
export function endFamilyById(familyId: string): Statement[] {
  return endFamilies('id', familyId);
}

/** Ends the families of a client. */
export function endFamiliesOf(clientId: string): Statement[] {
  return endFamilies('client', clientId);
}

/** Ends the oldest families of a person at a client, so that `keep` are left. */
export function endOldestFamilies(clientId: string, sub: Bytes32, keep: number): Statement[] {
  // Locks all of them, so that concurrent sign-ins of the person are counted one after the other.
  return [lockFamilies.person(clientId, sub), ...removeFamilies('oldest', clientId, sub, keep)];
}

/** Ends the families of a client as `endSessionsInBatches` ends its sessions. */
export async function endFamiliesInBatches(driver: Driver, clientId: string): Promise<void> {
  const endSome = async (limit: number): Promise<number> =>
    (await writeAll(driver, endSomeFamilies(clientId, limit))).at(-1)?.length ?? 0;
  await removeAll(endSome, MAX_ENDED);
}

/**
 * Families of refresh tokens; `GrantStore.useCode` begins them. When a family ends, its row is removed and its id is on
 * the revocation list until its last access token ends. Every write is durable when it resolves.
 */
export type RefreshTokenStore = ReturnType<typeof createRefreshTokenStore>;

/** Creates the store of refresh tokens over a driver. */
export function createRefreshTokenStore(driver: Driver, audit: AuditWriter) {
  const end = async (lookupHash: Bytes32): Promise<boolean> =>
    (await writeAll(driver, endFamilies('lookup', lookupHash))).at(-1)?.length === 1;
  const endAudited = async (clientId: string, family: string, ending: Statement[]): Promise<number> => {
    // A family that does not exist leaves no row in the log.
    const statements = ending.map((statement, index) =>
      index === ending.length - 1 ? { ...statement, isGuard: true } : statement,
    );
    const change = { action: 'refresh_tokens.revoked', target: clientId, after: { family } };
    const outcome = await audit.write(statements, change);
    return outcome.ok ? (outcome.results.at(-1)?.length ?? 0) : 0;
  };
  return {
    /** Looks up a family that has not expired. */
    find: async (lookupHash: Bytes32, now: number): Promise<RefreshFamilyRow | undefined> =>
      (await driver.read(familyByLookup(lookupHash, now)))[0],
    /** Replaces the token in force; if that is not `from`, the family ends. A proof that was used before changes nothing. */
    async rotate(
      { lookupHash, from, to, tokensEndAt, proof }: RefreshRotation,
      now: number,
    ): Promise<'rotated' | 'replayed' | 'proof_used' | 'unknown'> {
      const steps: Step<'lost' | 'proof_used'>[] = [
        [rotateToken(lookupHash, from, to, now, tokensEndAt), 'lost'],
      ];
      if (proof !== undefined) steps.push([insertUsedProof(proof), 'proof_used']);
      const outcome = await settled<'rotated' | 'lost' | 'proof_used'>(driver, {
        write: () => guarded(driver, steps, 'rotated'),
        done: 'rotated',
        own: tokenInForce(lookupHash, to),
      });
      if (outcome !== 'lost') return outcome;
      return (await end(lookupHash)) ? 'replayed' : 'unknown';
    },
    /** Ends a family; returns false if there is none. */
    end: (lookupHash: Bytes32): Promise<boolean> => end(lookupHash),
    /** Lists families of a client that have not expired, the latest first. */
    page(
      clientId: string,
      limit: number,
      now: number,
      after?: RefreshFamilyPlace,
    ): Promise<RefreshFamilyRow[]> {
      const { createdAt = Number.MAX_SAFE_INTEGER, familyId = '' } = after ?? {};
      return driver.scan(familyPage(clientId, now, createdAt, familyId, limit));
    },
    /**
     * Ends a family of a client, or all of them, and records it in the audit log.
     *
     * @returns Number of families that ended.
     */
    endByOperator: (clientId: string, familyId?: string): Promise<number> =>
      familyId === undefined
        ? removeAll((limit) => endAudited(clientId, 'all', endSomeFamilies(clientId, limit)), MAX_ENDED)
        : endAudited(clientId, shortDigest(familyId), endFamilies('idOfClient', clientId, familyId)),
  };
}

/**
 * Ends families; the last statement returns a row for each. The rows are locked first, so that a concurrent replacement
 * of a token either comes first, and its access token is covered, or finds no family.
 */
function endFamilies(
  set: Extract<keyof typeof lockFamilies, keyof typeof deleteFamilies>,
  ...params: SqlValue[]
): Statement[] {
  return [lockFamilies[set](...params), ...removeFamilies(set, ...params)];
}

/**
 * Ends families of a client, at most `limit`; the last statement returns a row for each. They are marked first, since a
 * condition with a limit could find others in the next statement.
 */
function endSomeFamilies(clientId: string, limit: number): Statement[] {
  return [markSome(clientId, limit), ...removeFamilies('marked')];
}

function removeFamilies(set: (typeof REMOVED)[number], ...params: SqlValue[]): Statement[] {
  return [revokeFamilies[set](...params), deleteFamilies[set](...params)];
}
