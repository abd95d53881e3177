import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../errors/service-error.ts';
import type { AdminTokenRow, AdminTokenStore } from '../storage/admin-tokens.ts';
import { hasHiddenCharacter, isoTime, NAME_PATTERN, NAME_RULE } from '../text.ts';

/** Permission of a token: to read, or to read and change. */
export type AdminScope = AdminTokenRow['scope'];

/** Scopes, in the order of the help. */
export const ADMIN_SCOPES: readonly AdminScope[] = ['read', 'write'];

/** Owner of a token. */
export interface AdminCaller {
  /** `api:<token id>`; `api:config` for `admin.token`. */
  readonly actor: string;
  readonly scope: AdminScope;
  /** End of the token, in milliseconds since the epoch; null if it does not expire. */
  readonly expiresAt: number | null;
}

/** A new token, whose value is shown only once. */
export interface NewAdminToken {
  readonly row: AdminTokenRow;
  readonly value: string;
}

/** Properties of a new token. */
export interface AdminTokenInput {
  readonly name: string;
  readonly scope: AdminScope;
  /** Milliseconds since the epoch; absent if it does not expire. */
  readonly expiresAt?: number;
  /** End of the token that makes it, which it must not outlive; null or absent if that does not expire. */
  readonly makerExpiresAt?: number | null;
}

/** Prefix by which scanners of source code recognize a token. */
const PREFIX = 'pgat_';
const TOKEN_FORM = /^pgat_[A-Za-z0-9_-]{43}$/;
const SECRET_BYTES = 32;
const ID_BYTES = 6;
const MAX_NAME_CHARACTERS = 64;
const NAME = new RegExp(NAME_PATTERN, 'u');

/**
 * Makes a token of the admin API, which `addAdminToken` then stores.
 *
 * @param now - Milliseconds since the epoch.
 * @throws ServiceError `admin_token.invalid`
 */
export function prepareAdminToken(input: AdminTokenInput, now: number): NewAdminToken {
  const { name, scope, expiresAt, makerExpiresAt = null } = input;
  const { length } = [...name];
  if (length === 0 || length > MAX_NAME_CHARACTERS || !NAME.test(name) || hasHiddenCharacter(name)) {
    const text = `name: expected 1 to ${MAX_NAME_CHARACTERS} characters ${NAME_RULE}`;
    throw new ServiceError('admin_token.invalid', text, { path: 'name' });
  }
  if (expiresAt !== undefined && expiresAt <= now) {
    throw new ServiceError('admin_token.invalid', 'expires_at: expected a time in the future', {
      path: 'expires_at',
    });
  }
  if (makerExpiresAt !== null && (expiresAt ?? Number.POSITIVE_INFINITY) > makerExpiresAt) {
    const text = `expires_at: expected at most ${isoTime(makerExpiresAt)}, the end of the token that makes it`;
    throw new ServiceError('admin_token.invalid', text, { path: 'expires_at' });
  }
  const value = `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64url')}`;
  const row = {
    tokenId: `at_${randomBytes(ID_BYTES).toString('hex')}`,
    hash: new Uint8Array(sha256(value)),
    name,
    scope,
    createdAt: now,
    expiresAt: expiresAt ?? null,
  };
  return { row, value };
}

/** Adds a token; the store has only its SHA-256. */
export async function addAdminToken(
  tokens: Pick<AdminTokenStore, 'add'>,
  { row }: NewAdminToken,
): Promise<void> {
  await tokens.add(row);
}

/** Removes a token; it stops working immediately. @throws ServiceError `admin_token.unknown` */
export async function revokeAdminToken(
  tokens: Pick<AdminTokenStore, 'remove'>,
  tokenId: string,
): Promise<void> {
  if (!(await tokens.remove(tokenId))) throw new ServiceError('admin_token.unknown');
}

/** Authenticates the token of a request. */
export type Authenticate = (authorization: string | undefined) => Promise<AdminCaller | undefined>;

/** Callers with a token of the configuration. */
const CONFIGURED: AdminCaller = { actor: 'api:config', scope: 'write', expiresAt: null };
const SCRAPER: AdminCaller = { actor: 'api:metrics', scope: 'read', expiresAt: null };

/**
 * Creates the check of tokens; those of the configuration work without the store, too.
 *
 * @param configured - Returns `admin.token`, which may change.
 * @param now - Milliseconds since the epoch.
 * @param scrapers - Returns `metrics.token`, where it counts.
 */
export function createAuthenticate(
  configured: () => string,
  tokens: Pick<AdminTokenStore, 'find'>,
  now: () => number,
  scrapers: () => string | undefined = () => undefined,
): Authenticate {
  const expected = (): { hash: Buffer; caller: AdminCaller }[] => {
    const scraper = scrapers();
    return [
      { hash: sha256(configured()), caller: CONFIGURED },
      ...(scraper === undefined ? [] : [{ hash: sha256(scraper), caller: SCRAPER }]),
    ];
  };
  return async (authorization) => {
    const [, token] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
    if (token === undefined) return undefined;
    const hash = sha256(token);
    // Comparing hashes of equal length leaks neither the length nor a prefix of the token through timing.
    const known = expected().find((one) => timingSafeEqual(hash, one.hash));
    if (known !== undefined) return known.caller;
    // Anything else cannot be a token and costs no look-up.
    if (!TOKEN_FORM.test(token)) return undefined;
    const row = await tokens.find(new Uint8Array(hash), now());
    if (row === undefined || !timingSafeEqual(hash, row.hash)) return undefined;
    return { actor: `api:${row.tokenId}`, scope: row.scope, expiresAt: row.expiresAt };
  };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
