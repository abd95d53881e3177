import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Config } from '../config/settings/types.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { RefreshFamilyRow, RefreshTokenStore } from '../storage/signin/refresh-families.ts';
import type { Store } from '../storage/store.ts';
import type { Bytes32 } from '../storage/values.ts';

/** A refresh token, with the hashes under which the store keeps it. */
export interface RefreshToken {
  /** `rt_`, the lookup key, a dot and the secret, both in base64url. */
  readonly text: string;
  /** 22 characters, shared by all tokens of a family. */
  readonly lookupKey: string;
  /** SHA-256 of the lookup key. */
  readonly lookupHash: Bytes32;
  /** SHA-256 of the whole text. */
  readonly tokenHash: Bytes32;
}

const LOOKUP_BYTES = 16;
const SECRET_BYTES = 32;
const FORM = /^rt_([A-Za-z0-9_-]{22})\.[A-Za-z0-9_-]{43}$/;

/** Makes the first token of a family (spec/sign-in.md#refresh-tokens). */
export function makeRefreshToken(): RefreshToken {
  return withSecret(randomBytes(LOOKUP_BYTES).toString('base64url'));
}

/** Makes the next token of a family, which replaces the current one. */
export function renewRefreshToken({ lookupKey }: Pick<RefreshToken, 'lookupKey'>): RefreshToken {
  return withSecret(lookupKey);
}

/** Reads a token; undefined if the text is malformed. */
export function parseRefreshToken(text: string): RefreshToken | undefined {
  const [, lookupKey] = FORM.exec(text) ?? [];
  return lookupKey === undefined ? undefined : hashed(text, lookupKey);
}

function withSecret(lookupKey: string): RefreshToken {
  return hashed(`rt_${lookupKey}.${randomBytes(SECRET_BYTES).toString('base64url')}`, lookupKey);
}

function hashed(text: string, lookupKey: string): RefreshToken {
  return { text, lookupKey, lookupHash: sha256(lookupKey), tokenHash: sha256(text) };
}

function sha256(text: string): Bytes32 {
  return new Uint8Array(createHash('sha256').update(text).digest());
}

/** Reason why a refresh token is not accepted, for operators; not revealed to clients. */
export type RefreshRefusal =
  /** No family has its lookup key: never issued, or the family has ended. */
  | 'unknown'
  /** Another token of its family is current. */
  | 'replaced'
  /** The client was removed or disabled, or may not have refresh tokens. */
  | 'client_refused';

/** Result of `examineRefreshToken`. */
export interface RefreshVerdict {
  /** Absent for an accepted token. */
  readonly reason?: RefreshRefusal;
  /** Absent for an unknown token. */
  readonly family?: RefreshFamilyRow;
}

/**
 * Returns a store whose families live at most `signin.refreshTokenSeconds`: the setting may have been lowered since
 * they began. Raising it does not extend them.
 */
export function liveFamilies(store: RefreshTokenStore, { signin }: RefreshTokenConfig): RefreshTokenStore {
  const endOf = ({ createdAt, expiresAt }: RefreshFamilyRow): number =>
    Math.min(expiresAt, createdAt + signin.refreshTokenSeconds * 1000);
  const live = (families: readonly RefreshFamilyRow[], now: number): RefreshFamilyRow[] =>
    families
      .map((family) => ({ ...family, expiresAt: endOf(family) }))
      .filter(({ expiresAt }) => expiresAt > now);
  return {
    ...store,
    find: async (lookupHash, now) => {
      const family = await store.find(lookupHash, now);
      return family === undefined ? undefined : live([family], now)[0];
    },
    // The newest are first, so only the end of a page is cut.
    page: async (clientId, limit, now, after) => live(await store.page(clientId, limit, now, after), now),
  };
}

/** The setting for `liveFamilies`. */
export interface RefreshTokenConfig {
  readonly signin: Pick<Config['signin'], 'refreshTokenSeconds'>;
}

/** Examines a refresh token without using it; undefined if the text is malformed. */
export async function examineRefreshToken(
  text: string,
  { apps, refreshTokens }: Pick<Store, 'apps' | 'refreshTokens'>,
  config: RefreshTokenConfig,
  now: number,
): Promise<RefreshVerdict | undefined> {
  const token = parseRefreshToken(text);
  if (token === undefined) return undefined;
  const family = await liveFamilies(refreshTokens, config).find(token.lookupHash, now);
  if (family === undefined) return { reason: 'unknown' };
  if (!timingSafeEqual(family.tokenHash, token.tokenHash)) return { reason: 'replaced', family };
  const app = await apps.findByAppId(family.clientId);
  const isAllowed = app?.status === 'active' && app.client.refreshTokens;
  return isAllowed ? { family } : { reason: 'client_refused', family };
}

/**
 * Ends a family of refresh tokens of an app, and records it in the audit log.
 *
 * @throws ServiceError `refresh_token.unknown`
 */
export async function endRefreshFamily(
  refreshTokens: Pick<RefreshTokenStore, 'endByOperator'>,
  appId: string,
  familyId: string,
): Promise<void> {
  if ((await refreshTokens.endByOperator(appId, familyId)) === 0) {
    throw new ServiceError('refresh_token.unknown', `no refresh tokens ${familyId} of the app ${appId}`);
  }
}
