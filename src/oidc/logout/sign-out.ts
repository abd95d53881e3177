/**
 * Sign-out (spec/sign-in.md#sign-out): requests of apps, the end of sessions, and in `deliverer.ts` the notices to
 * apps. Used only while sessions are enabled.
 */
import { type Clients, matchesPostLogoutUri } from '../../apps/clients.ts';
import type { Config } from '../../config/settings/types.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { toHex } from '../../semaphore/hex.ts';
import type { AppRow, AppStore } from '../../storage/apps/apps.ts';
import type { SessionEnd, SessionPlace, SessionRow, SessionStore } from '../../storage/signin/sessions.ts';
import type { HintedToken, ReadIdTokenHint } from '../id-token-hints.ts';
import { type Parameters, refuseRepeated } from '../parameters.ts';
import { createSessions, type Sessions } from '../sessions.ts';

/** Parameters of a sign-out (OpenID Connect RP-Initiated Logout 1.0, section 2); others are ignored. */
export const LOGOUT_PARAMETERS: readonly string[] = [
  'id_token_hint',
  'client_id',
  'post_logout_redirect_uri',
  'state',
  'ui_locales',
];

/** A checked sign-out request. */
export interface LogoutRequest {
  /** The requesting app; undefined if the request names none. */
  readonly client: AppRow | undefined;
  /** The ID token that the app sent back; undefined if the person must confirm. */
  readonly hint: HintedToken | undefined;
  /** Registered post-logout redirect URI. */
  readonly redirectUri: string | undefined;
  readonly state: string | undefined;
}

/**
 * Checks a sign-out request (spec/sign-in.md#sign-out-request). Until the client is known, nothing is sent to any address
 * of the request.
 *
 * @throws ServiceError `signin.repeated_parameter`, `signin.parameter_required`, `logout.hint_invalid`,
 *   `logout.client_differs`, `logout.redirect_uri_unknown`, `authorize.client_unknown`,
 *   `authorize.sign_in_not_enabled`, `store.unreachable`
 */
export async function checkLogout(
  parameters: Parameters,
  { clients, readHint }: { readonly clients: Pick<Clients, 'find'>; readonly readHint: ReadIdTokenHint },
): Promise<LogoutRequest> {
  refuseRepeated(parameters, LOGOUT_PARAMETERS);
  const hint = await hintOf(parameters.get('id_token_hint'), readHint);
  const clientId = parameters.get('client_id');
  if (hint !== undefined && clientId !== undefined && clientId !== hint.clientId) {
    throw refusal('logout.client_differs', 'client_id');
  }
  const client = await clientOf(hint?.clientId ?? clientId, clients);
  const redirectUri = parameters.get('post_logout_redirect_uri');
  if (redirectUri !== undefined) checkTarget(client, redirectUri);
  return { client, hint, redirectUri, state: parameters.get('state') };
}

async function hintOf(text: string | undefined, readHint: ReadIdTokenHint): Promise<HintedToken | undefined> {
  if (text === undefined) return undefined;
  const hint = await readHint(text);
  if (hint === undefined) throw refusal('logout.hint_invalid', 'id_token_hint');
  return hint;
}

async function clientOf(
  clientId: string | undefined,
  clients: Pick<Clients, 'find'>,
): Promise<AppRow | undefined> {
  if (clientId === undefined) return undefined;
  const client = await clients.find(clientId);
  if (client === undefined) throw refusal('authorize.client_unknown', 'client_id');
  if (client.status !== 'active') throw refusal('authorize.sign_in_not_enabled', 'client_id', client);
  return client;
}

function checkTarget(client: AppRow | undefined, redirectUri: string): void {
  if (client === undefined) throw refusal('signin.parameter_required', 'client_id');
  if (!matchesPostLogoutUri(client, redirectUri)) {
    throw refusal('logout.redirect_uri_unknown', 'post_logout_redirect_uri', client);
  }
}

function refusal(code: ErrorCode, path: string, client?: AppRow): ServiceError {
  return new ServiceError(code, undefined, {
    path,
    ...(client === undefined ? {} : { clientId: client.appId }),
  });
}

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
   * @returns Whether the browser's cookie for the client no longer names a live session.
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

/** Creates the sign-out over the store (spec/sign-in.md#sign-out). */
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
 * Returns the store input that ends one session of a client, or all.
 *
 * @param sid - Undefined for all sessions.
 */
function sessionEnd(client: AppRow, sid: string | undefined, sessions: Pick<Sessions, 'liveOf'>): SessionEnd {
  const notifies = client.status === 'active' && client.client.backchannelLogoutUri !== null;
  return { live: sessions.liveOf(client), sid, notifies };
}

/** Dependencies of `createSessionOperator`. */
export interface SessionOperatorParts {
  readonly config: { readonly signin: Pick<Config['signin'], 'sessionSeconds'> };
  /** Registry, with the apps of the configuration. */
  readonly apps: Pick<AppStore, 'findByAppId'>;
  readonly store: SessionStore;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Operator functions for sessions. All methods throw ServiceError `store.unreachable`. */
export interface SessionOperator {
  /** Lists one page of live sessions of an app, the latest first. */
  page(app: AppRow, limit: number, after?: SessionPlace): Promise<SessionRow[]>;
  /** Counts the live sessions of an app. */
  count(app: AppRow): Promise<number>;
  /**
   * Ends a session; the notice to its app is written in the same transaction.
   *
   * @param app - The app of the session; undefined for any app.
   * @throws ServiceError `session.unknown`
   */
  revoke(sid: string, app?: AppRow): Promise<void>;
  /** Ends all sessions of an app; returns their number. */
  revokeAll(app: AppRow): Promise<number>;
}

/** Creates the operator functions over the store. */
export function createSessionOperator({ config, apps, store, now }: SessionOperatorParts): SessionOperator {
  const sessions: Pick<Sessions, 'liveOf'> = createSessions({ config, store, now });
  const ownerOf = async (sid: string): Promise<AppRow> => {
    const row = await store.findBySid(sid, now());
    const app = row && (await apps.findByAppId(row.clientId));
    if (app === undefined) throw new ServiceError('session.unknown');
    return app;
  };
  return {
    page: (app, limit, after) => store.page(sessions.liveOf(app), now(), limit, after),
    count: (app) => store.count(sessions.liveOf(app), now()),
    async revoke(sid, app) {
      const owner = await ownerOf(sid);
      const isOther = app !== undefined && app.appId !== owner.appId;
      // A session that ended meanwhile counts as unknown.
      const ended = isOther ? 0 : await store.endByOperator(sessionEnd(owner, sid, sessions), now());
      if (ended === 0) throw new ServiceError('session.unknown');
    },
    revokeAll: (app) => store.endByOperator(sessionEnd(app, undefined, sessions), now()),
  };
}
