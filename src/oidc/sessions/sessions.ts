import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../../config/settings/types.ts';
import {
  type AcceptedProof,
  type AppRow,
  type Bytes32,
  DEFAULT_CLIENT,
  type LiveSessions,
  type SessionRow,
  type SessionStore,
} from '../../storage/index.ts';

/** A session that begins: its row, and the cookie that names it. */
export interface BegunSession {
  readonly row: SessionRow;
  /** Value of the cookie: 43 characters of base64url. */
  readonly cookie: string;
}

/** Sessions of sign-in. */
export interface Sessions {
  /** Whether `signin.sessionSeconds` is set. */
  readonly isOn: boolean;
  /**
   * Returns the live session of a client that a cookie names; undefined for anything else.
   *
   * @throws ServiceError `store.unreachable`
   */
  find(client: AppRow, cookie: string | undefined): Promise<SessionRow | undefined>;
  /** Creates a session of the person who has proven; the caller stores its row. */
  begin(client: AppRow, accepted: AcceptedProof): BegunSession;
  /** Returns the hash of a cookie, which is all that is stored of it. */
  hashOf(cookie: string): Bytes32;
  /** Returns which stored sessions of a client are live. */
  liveOf(client: AppRow): LiveSessions;
}

/** Dependencies of `createSessions`. */
export interface SessionsParts {
  readonly config: { readonly signin: Pick<Config['signin'], 'sessionSeconds'> };
  readonly store: Pick<SessionStore, 'find'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const COOKIE_BYTES = 32;
const SID_BYTES = 16;

/** Creates the sessions over the store. */
export function createSessions({ config, store, now }: SessionsParts): Sessions {
  const lifeMs = config.signin.sessionSeconds * 1000;
  return {
    isOn: lifeMs > 0,
    async find(client, cookie) {
      if (lifeMs === 0 || cookie === undefined || client.status !== 'active') return undefined;
      const at = now();
      const row = await store.find(hashOf(cookie), client.appId, at);
      if (row === undefined || !timingSafeEqual(row.clientHash, digestOf(client))) return undefined;
      // The setting may have been lowered since.
      return row.accepted.authTime + lifeMs > at ? row : undefined;
    },
    begin(client, accepted) {
      const cookie = randomBytes(COOKIE_BYTES).toString('base64url');
      const row: SessionRow = {
        sessionHash: hashOf(cookie),
        sid: randomBytes(SID_BYTES).toString('base64url'),
        clientId: client.appId,
        clientHash: digestOf(client),
        accepted,
        createdAt: now(),
        expiresAt: accepted.authTime + lifeMs,
      };
      return { row, cookie };
    },
    hashOf,
    liveOf: (client) => ({
      clientId: client.appId,
      clientHash: digestOf(client),
      provenAfter: now() - lifeMs,
    }),
  };
}

function hashOf(text: string): Bytes32 {
  return new Uint8Array(createHash('sha256').update(text).digest());
}

/**
 * Returns the SHA-256 of what a client has registered for sign-in, without what is as by default: a member that a
 * later release adds changes no digest.
 */
function digestOf({ client }: AppRow): Bytes32 {
  const defaults = new Map<string, unknown>(Object.entries(DEFAULT_CLIENT));
  const members = Object.entries(client).filter(
    ([name, value]) => !isDeepStrictEqual(value, defaults.get(name)),
  );
  return hashOf(JSON.stringify(members.sort(([a], [b]) => (a < b ? -1 : 1))));
}
