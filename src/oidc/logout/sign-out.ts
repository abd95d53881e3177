import type { Clients } from '../../apps/index.ts';
import { toHex } from '../../semaphore/index.ts';
import type { AppRow, SessionEnd, SessionRow, SessionStore } from '../../storage/index.ts';
import type { HintedToken } from '../issuing/index.ts';
import type { Sessions } from '../sessions/index.ts';

/** A live session of a browser. */
export interface BrowserSession {
  readonly client: AppRow;
  readonly session: SessionRow;
}

/** Cookies of the sessions of a browser, by client. */
type Cookies = ReadonlyMap<string, string>;

/** Ends sessions for people. All methods throw ServiceError `store.unreachable`. */
export interface SignOut {
  /** Returns the live sessions of a browser; with a client only that of the client. */
  find(cookies: Cookies, client: AppRow | undefined): Promise<BrowserSession[]>;
  /** Ends sessions; the notices to their clients are durable when it resolves. */
  end(sessions: readonly BrowserSession[]): Promise<void>;
  /**
   * Ends the session that a hint names, and the session of the browser with the client if it is of the same person.
   *
   * @returns Whether the browser's cookie for the client names no live session any more.
   */
  endHinted(client: AppRow, hint: HintedToken, cookies: Cookies): Promise<boolean>;
}

/** Dependencies of `createSignOut`. */
export interface SignOutParts {
  readonly clients: Pick<Clients, 'find'>;
  readonly sessions: Pick<Sessions, 'find' | 'liveOf'>;
  readonly store: Pick<SessionStore, 'end'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Creates the end of sessions (spec/sign-in.md#sign-out). */
export function createSignOut({ clients, sessions, store, now }: SignOutParts): SignOut {
  const endOf = (client: AppRow, sid: string): SessionEnd => sessionEnd(client, sid, sessions);
  return {
    async find(cookies, client) {
      const found: BrowserSession[] = [];
      for (const [clientId, cookie] of cookies) {
        if (client !== undefined && client.appId !== clientId) continue;
        const owner = client ?? (await clients.find(clientId));
        const session = owner && (await sessions.find(owner, cookie));
        if (owner !== undefined && session !== undefined) found.push({ client: owner, session });
      }
      return found;
    },
    end: (ended) =>
      store.end(
        ended.map(({ client, session }) => endOf(client, session.sid)),
        now(),
      ),
    async endHinted(client, hint, cookies) {
      const cookie = cookies.get(client.appId);
      const session = await sessions.find(client, cookie);
      const endsIt =
        session !== undefined && (session.sid === hint.sid || toHex(session.accepted.sub) === hint.sub);
      const sids = new Set([...(hint.sid === undefined ? [] : [hint.sid]), ...(endsIt ? [session.sid] : [])]);
      await store.end(
        [...sids].map((sid) => endOf(client, sid)),
        now(),
      );
      return cookie !== undefined && (session === undefined || endsIt);
    },
  };
}

/**
 * Returns the end of one session of a client, or of all.
 *
 * @param sid - Undefined for all sessions.
 */
export function sessionEnd(
  client: AppRow,
  sid: string | undefined,
  sessions: Pick<Sessions, 'liveOf'>,
): SessionEnd {
  const notifies = client.status === 'active' && client.client.backchannelLogoutUri !== null;
  return { live: sessions.liveOf(client), sid, notifies };
}
