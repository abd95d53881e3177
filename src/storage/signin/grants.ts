import type { AuditWriter } from '../audit/audit-log.ts';
import { auditAll, shortDigest } from '../audit/audit-writer.ts';
import { bytes, columns, integer, NO_COLUMNS, optional, type RowOf, text } from '../columns.ts';
import type { Driver, Statement } from '../drivers/driver.ts';
import { guard, point, write } from '../sql.ts';
import { allOrNothing, guarded, type Step, settled } from '../transaction.ts';
import type { AcceptedProof, Bytes32, UsedProof } from '../values.ts';
import { closeSignIn } from './pending.ts';
import { ACCEPTED, insertSpent, insertUsedProof, type SpentProof } from './proofs.ts';
import { endFamilyById, endOldestFamilies, insertFamily, type NewRefreshFamily } from './refresh-families.ts';

/** Maximum number of refresh token families of a person at a client (spec/sign-in.md#refresh-tokens). */
const MAX_FAMILIES = 20;

const NEW_CODE = columns({
  /** SHA-256 of the code. */
  codeHash: bytes,
  clientId: text,
  redirectUri: text,
  /** Granted scopes, separated by spaces. */
  scope: text,
  /** S256 challenge, or null without PKCE. */
  codeChallenge: optional(text),
  /** JSON text, since it may contain any character; null if none was sent, and once the code was used. */
  nonce: optional(text),
  /** Expiry of the code. */
  codeExpiresAt: integer,
  /** Time from which the row may be swept: expiry of the code or, once it was used, of its tokens. */
  expiresAt: integer,
  /** Null once the code was used. */
  accepted: ACCEPTED.together(),
  /** The session that the sign-in began or was answered from; null without one. */
  sid: optional(text),
  /** Thumbprint of the key to which the request bound the code, or null (RFC 9449 section 10). */
  dpopJkt: optional(text),
  /** The sign-in that issued it, which is closed when the code is redeemed; null without one. */
  txn: optional(text),
});
const CODE = columns({
  ...NEW_CODE.members,
  usedAt: optional(integer),
  /** Id of the access token that the code was exchanged for, or of the family of refresh tokens that it began. */
  jti: optional(text),
});
/** An authorization code. Times are milliseconds since the epoch. */
export type CodeRow = RowOf<typeof CODE>;

/** An unused code. */
export interface NewCode extends RowOf<typeof NEW_CODE> {
  readonly accepted: AcceptedProof;
}

/** Outcome when a client presents a code. */
export type CodeUse =
  /** This call used the code. */
  | { readonly outcome: 'used'; readonly row: CodeRow }
  /** The code was used before; the token issued for it is now revoked. */
  | { readonly outcome: 'replayed' }
  /** The proof of possession was used before: nothing changed. */
  | { readonly outcome: 'proof_used' }
  /** The code is unknown, of another client, or expired: nothing changed. */
  | { readonly outcome: 'unknown' };

const insertNewCode = write(
  `insert into authorization_codes (${NEW_CODE.list()}) values (${NEW_CODE.slots()})`,
);
/** Selects the code of a client until the row expires. */
const codeByHash = point(
  CODE,
  `select ${CODE.list()} from authorization_codes where code_hash = $1 and client_id = $2 and expires_at > $3`,
);
/**
 * Marks a code of a client as used and erases the person and the nonce; the row is kept at least until the tokens
 * expire. Fails if the code is unknown, used or expired.
 */
const markUsed = guard(
  'update authorization_codes set used_at = $5, jti = $3, nonce = null, sub = null, level = null, auth_time = null, evidence = null, sid = null, expires_at = case when expires_at > $4 then expires_at else $4 end where code_hash = $1 and client_id = $2 and used_at is null and code_expires_at > $5 returning 1',
);
/** Fails unless the code was used for the token with this id. */
const codeUsedFor = guard('select 1 from authorization_codes where code_hash = $1 and jti = $2');
const codeWithHash = guard('select 1 from authorization_codes where code_hash = $1');
const dropUnredeemed = write('delete from authorization_codes where code_hash = $1 and used_at is null');
const codeIsGone = guard(
  'select 1 from (select 1 as one) as it where not exists (select 1 from authorization_codes where code_hash = $1)',
);
/** If the token is listed already, the later end is kept. */
const insertRevocation = write(
  'insert into revoked_tokens as t (jti, expires_at) values ($1,$2) on conflict (jti) do update set expires_at = excluded.expires_at where t.expires_at < excluded.expires_at',
);
/** Selects a row if the token, or the family that it belongs to, is on the revocation list. */
const revocation = point(
  NO_COLUMNS,
  'select 1 from revoked_tokens where jti in ($1, $2) and expires_at > $3 limit 1',
);

/** Adds an unused code. */
export function insertCode(code: NewCode): Statement {
  return insertNewCode(...NEW_CODE.values(code));
}

/**
 * Adds a code in place of one that has expired. The former one is removed: the clock of another process, which would still
 * redeem it, may be behind. Fails with `redeemed` if it was redeemed.
 */
export function replaceCode(former: Bytes32, code: NewCode): Step<'redeemed'>[] {
  return [[dropUnredeemed(former)], [codeIsGone(former), 'redeemed'], [insertCode(code)]];
}

/** A guard that fails unless a code exists, used or not. */
export function codeExists(codeHash: Bytes32): Statement {
  return codeWithHash(codeHash);
}

/** Codes, revoked tokens, spent proofs and used proofs of possession. Every write is durable when it resolves. */
export type GrantStore = ReturnType<typeof createGrantStore>;

/** Creates the store of codes, revoked tokens and used proofs over a driver. */
export function createGrantStore(driver: Driver, audit: AuditWriter) {
  const findCode = async (codeHash: Bytes32, clientId: string, now: number): Promise<CodeRow | undefined> =>
    (await driver.read(codeByHash(codeHash, clientId, now)))[0];
  return {
    /** Looks up a code of a client, used or not, until its row expires. */
    find: (codeHash: Bytes32, clientId: string, now: number): Promise<CodeRow | undefined> =>
      findCode(codeHash, clientId, now),
    /**
     * Uses a code once (spec/sign-in.md#token-endpoint, find-code and use-code): sets `usedAt` and `jti` and
     * erases `accepted` and `nonce`, which the returned row still has, and closes its sign-in. A second use puts the stored jti on the
     * revocation list, and ends the family of refresh tokens with that id.
     *
     * @param jti - Id of the access token to be issued, or of the family of refresh tokens that begins.
     * @param tokensEndAt - When the tokens to be issued end, and with them a revocation.
     * @param familyFor - Returns the family of refresh tokens that begins in the same transaction, if one does, for the
     *   code before its use.
     * @param proof - Recorded as used in the same transaction.
     */
    async useCode(
      codeHash: Bytes32,
      clientId: string,
      jti: string,
      tokensEndAt: number,
      now: number,
      familyFor?: (code: CodeRow) => NewRefreshFamily | undefined,
      proof?: UsedProof,
    ): Promise<CodeUse> {
      const before = await findCode(codeHash, clientId, now);
      // A guessed code is answered without the writer.
      if (before === undefined) return { outcome: 'unknown' };
      if (before.usedAt === null && before.codeExpiresAt > now) {
        const closing = before.txn === null ? [] : closeSignIn(before.txn);
        const steps: Step<'lost' | 'proof_used'>[] = [
          ...closing.map((statement): Step<never> => [statement]),
          [markUsed(codeHash, clientId, jti, tokensEndAt, now), 'lost'],
        ];
        if (proof !== undefined) steps.push([insertUsedProof(proof), 'proof_used']);
        const family = familyFor?.(before);
        if (family !== undefined && before.accepted !== null) {
          const { accepted } = before;
          const times = { createdAt: now, lastUsedAt: now, tokensEndAt };
          const statements = [
            ...endOldestFamilies(clientId, accepted.sub, MAX_FAMILIES - 1),
            insertFamily({ ...family, familyId: jti, clientId, accepted, ...times }),
          ];
          steps.push(...statements.map((statement): Step<never> => [statement]));
        }
        const outcome = await settled(driver, {
          write: () => guarded(driver, steps, 'used'),
          done: 'used',
          own: codeUsedFor(codeHash, jti),
        });
        if (outcome === 'proof_used') return { outcome };
        if (outcome === 'used') {
          const expiresAt = Math.max(before.expiresAt, tokensEndAt);
          return { outcome: 'used', row: { ...before, usedAt: now, jti, expiresAt } };
        }
      }
      const used = before.usedAt === null ? await findCode(codeHash, clientId, now) : before;
      if (used === undefined || used.jti === null) return { outcome: 'unknown' };
      await driver.write([...endFamilyById(used.jti), insertRevocation(used.jti, used.expiresAt)]);
      return { outcome: 'replayed' };
    },
    /** Records a proof of possession as used; false if it was used before. */
    useProof: (proof: UsedProof): Promise<boolean> => allOrNothing(driver, [insertUsedProof(proof)]),
    /** Stores a code and spends a proof, for a sign-in without a transaction; false if it was spent already. */
    issue: (code: NewCode | undefined, spent: SpentProof, now: number): Promise<boolean> =>
      allOrNothing(driver, [insertSpent(spent, now), ...(code === undefined ? [] : [insertCode(code)])]),
    /** Puts a token on the revocation list until its end. */
    async revoke(jti: string, expiresAt: number): Promise<void> {
      await driver.write([insertRevocation(jti, expiresAt)]);
    },
    /** Like `revoke`, and records it in the audit log. */
    async revokeByOperator(jti: string, expiresAt: number): Promise<void> {
      // Shown as in the log of the service.
      const change = { action: 'token.revoked', target: `jti:${shortDigest(jti)}` };
      await auditAll(audit, [insertRevocation(jti, expiresAt)], change);
    },
    /**
     * Whether a token is on the revocation list.
     *
     * @param familyId - The family of refresh tokens that it belongs to: it is revoked with the family.
     */
    isRevoked: async (jti: string, now: number, familyId: string = jti): Promise<boolean> =>
      (await driver.read(revocation(jti, familyId, now))).length > 0,
  };
}
