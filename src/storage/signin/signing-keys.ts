import type { AuditedChange, AuditWriter } from '../audit/audit-log.ts';
import { auditAllOrNothing } from '../audit/audit-writer.ts';
import { columns, integer, named, optional, type RowOf, text, word } from '../columns.ts';
import type { Driver, SqlRow, Statement } from '../drivers/driver.ts';
import { guard, point, write } from '../sql.ts';
import { writeOne } from '../transaction.ts';

const STORED_KEY = columns({
  kid: text,
  /** Credential keys have their own table (`IssuerKeyStore`). */
  use: named('key_use', word(['signin'])),
  /** A deleted key has no row (spec/sign-in.md#key-states). */
  state: word(['next', 'active', 'retired']),
  /** Public JWK as JSON, with `kid`, `use` and `alg`. */
  publicJwk: text,
  /** Private JWK as JSON, or sealed as a compact JWE. */
  privateJwk: text,
  developmentAt: optional(integer),
  createdAt: integer,
  activatedAt: optional(integer),
  retiredAt: optional(integer),
  /** Time at which a retired key leaves the published set; null in the other states. */
  expiresAt: optional(integer),
});

/** A signing key. Times are milliseconds since the epoch. */
export interface SigningKeyRow extends Omit<RowOf<typeof STORED_KEY>, 'developmentAt'> {
  readonly isSealed: boolean;
  /** Made by the development profile; production refuses such rows. */
  readonly isDevelopment: boolean;
}
/** Use of a signing key. */
export type KeyUse = SigningKeyRow['use'];
/** Published states of a signing key. */
export type SigningKeyState = SigningKeyRow['state'];

const KEY = {
  toRow(values: SqlRow): SigningKeyRow {
    const { developmentAt, ...key } = STORED_KEY.toRow(values);
    // A compact JWE consists of base64url and dots.
    return { ...key, isSealed: !key.privateJwk.startsWith('{'), isDevelopment: developmentAt !== null };
  },
};

/** A rotation of keys, made only if the named keys are still active and next. */
export interface KeyRotation {
  readonly use: KeyUse;
  readonly activeKid: string;
  readonly nextKid: string;
  /** The key that is `next` afterwards. */
  readonly newNext: SigningKeyRow;
  /** Time of the rotation. */
  readonly at: number;
  /** Time at which the formerly active key leaves the published set; null deletes it immediately. */
  readonly retiredUntil: number | null;
}

const publishedKeys = point(
  KEY,
  `select ${STORED_KEY.list()} from signing_keys where key_use = $1 and (expires_at is null or expires_at > $2) order by case state when 'active' then 0 when 'next' then 1 else 2 end, retired_at desc, kid`,
);
/** Fails if the kid is taken, or if the state is active or next and taken. */
const insertStoredKey = guard(
  `insert into signing_keys (${STORED_KEY.list()}) values (${STORED_KEY.slots()}) on conflict do nothing returning 1`,
);
/** active → retired; fails if the key is not active. */
const retireKey = guard(
  "update signing_keys set state = 'retired', retired_at = $3, expires_at = $4 where kid = $1 and key_use = $2 and state = 'active' returning 1",
);
/** next → active; fails if the key is not next. */
const activateKey = guard(
  "update signing_keys set state = 'active', activated_at = $3 where kid = $1 and key_use = $2 and state = 'next' returning 1",
);
/** Fails if the key is not in this state. */
const deleteKey = guard('delete from signing_keys where kid = $1 and state = $2 returning 1');
const resealKey = write(
  'update signing_keys set private_jwk = $3 where kid = $1 and private_jwk = $2 returning 1',
);

/** Signing keys; each use has at most one `active` and one `next` key. A change is one transaction. */
export type SigningKeyStore = ReturnType<typeof createSigningKeyStore>;

/** Creates the store of signing keys over a driver. */
export function createSigningKeyStore(driver: Driver, audit: AuditWriter) {
  const changed = (statements: readonly Statement[], change: AuditedChange): Promise<boolean> =>
    auditAllOrNothing(audit, statements, change);
  return {
    /** Lists the published keys: active, next, then retired ones, the latest first. */
    list: (use: KeyUse, now: number): Promise<SigningKeyRow[]> => driver.read(publishedKeys(use, now)),
    /** Adds the first two keys; false if another process was faster and has written both. */
    initialise: (active: SigningKeyRow, next: SigningKeyRow): Promise<boolean> =>
      changed([insertKey(active), insertKey(next)], {
        action: 'signing_keys.created',
        target: active.use,
        after: { active: active.kid, next: next.kid },
      }),
    /** active → retired (or deleted), next → active, adds `newNext`; false if another process was faster. */
    rotate({ use, activeKid, nextKid, newNext, at, retiredUntil }: KeyRotation): Promise<boolean> {
      const end =
        retiredUntil === null ? deleteKey(activeKid, 'active') : retireKey(activeKid, use, at, retiredUntil);
      return changed([end, activateKey(nextKid, use, at), insertKey(newNext)], {
        action: retiredUntil === null ? 'signing_key.removed' : 'signing_key.rotated',
        target: use,
        before: { active: activeKid, next: nextKid },
        after: { active: nextKid, next: newNext.kid },
      });
    },
    /** Replaces the next key by another; false if `kid` is not the next key. */
    replaceNext: (kid: string, newNext: SigningKeyRow): Promise<boolean> =>
      changed([deleteKey(kid, 'next'), insertKey(newNext)], {
        action: 'signing_key.removed',
        target: newNext.use,
        before: { next: kid },
        after: { next: newNext.kid },
      }),
    /** Deletes a retired key; false if it does not exist or is not retired. */
    removeRetired: (kid: string): Promise<boolean> =>
      changed([deleteKey(kid, 'retired')], {
        action: 'signing_key.removed',
        target: 'signin',
        before: { retired: kid },
      }),
    /** Replaces the stored private part if it is still `from`; otherwise returns false. */
    reseal: async (kid: string, from: string, to: string): Promise<boolean> =>
      (await writeOne(driver, resealKey(kid, from, to))) !== undefined,
  };
}

function insertKey(key: SigningKeyRow): Statement {
  const developmentAt = key.isDevelopment ? key.createdAt : null;
  return insertStoredKey(...STORED_KEY.values({ ...key, developmentAt }));
}
