/**
 * Sessions of people with an app on one browser (spec/sign-in.md#sessions): kept only if `signin.sessionSeconds` is set
 * and the person agrees on the sign-in page.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { DEFAULT_CLIENT } from '../config/apps/client-of.ts';
import type { Config } from '../config/settings/types.ts';
import type { AppRow } from '../storage/apps/apps.ts';
import type { LiveSessions, SessionRow, SessionStore } from '../storage/signin/sessions.ts';
import type { AcceptedProof, Bytes32 } from '../storage/values.ts';
import type { AnswerSecrets } from './answer-secrets.ts';

/** A new session: its row and its cookie. */
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
   * Returns the live session of a client by its cookie; undefined if there is none.
   *
   * @throws ServiceError `store.unreachable`
   */
  find(client: AppRow, cookie: string | undefined): Promise<SessionRow | undefined>;
  /** Creates a session from an accepted proof; the caller stores its row. */
  begin(
    client: AppRow,
    accepted: AcceptedProof,
    secrets: Pick<AnswerSecrets, 'session' | 'sid'>,
  ): BegunSession;
  /** Returns the hash of a cookie; only the hash is stored. */
  hashOf(cookie: string): Bytes32;
  /** Returns the criteria by which stored sessions of a client are live. */
  liveOf(client: AppRow): LiveSessions;
}

/** Dependencies of `createSessions`. */
export interface SessionsParts {
  readonly config: { readonly signin: Pick<Config['signin'], 'sessionSeconds'> };
  readonly store: Pick<SessionStore, 'find'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

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
    begin(client, accepted, { session: cookie, sid }) {
      const row: SessionRow = {
        sessionHash: hashOf(cookie),
        sid,
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
 * Returns the SHA-256 of a client's sign-in registration. Members with default values are left out, so that a member
 * added in a later release changes no digest.
 */
function digestOf({ client }: AppRow): Bytes32 {
  const defaults = new Map<string, unknown>(Object.entries(DEFAULT_CLIENT));
  const members = Object.entries(client).filter(
    ([name, value]) => !isDeepStrictEqual(value, defaults.get(name)),
  );
  return hashOf(JSON.stringify(members.sort(([a], [b]) => (a < b ? -1 : 1))));
}
