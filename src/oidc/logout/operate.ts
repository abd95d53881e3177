import type { Config } from '../../config/settings/types.ts';
import { ServiceError } from '../../errors/index.ts';
import type { AppRow, AppStore, SessionPlace, SessionRow, SessionStore } from '../../storage/index.ts';
import { createSessions, type Sessions } from '../sessions/index.ts';
import { sessionEnd } from './sign-out.ts';

/** Dependencies of `createSessionOperator`. */
export interface SessionOperatorParts {
  readonly config: { readonly signin: Pick<Config['signin'], 'sessionSeconds'> };
  /** Registry, with the apps of the configuration. */
  readonly apps: Pick<AppStore, 'findByAppId'>;
  readonly store: SessionStore;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** What an operator does with sessions. All methods throw ServiceError `store.unreachable`. */
export interface SessionOperator {
  /** Lists one page of live sessions of an app, the latest first. */
  page(app: AppRow, limit: number, after?: SessionPlace): Promise<SessionRow[]>;
  /** Counts the live sessions of an app. */
  count(app: AppRow): Promise<number>;
  /**
   * Ends a session; the notice to its app is written with it.
   *
   * @param app - The app that it must belong to; undefined if any app will do.
   * @throws ServiceError `session.unknown`
   */
  revoke(sid: string, app?: AppRow): Promise<void>;
  /** Ends all sessions of an app; returns how many there were. */
  revokeAll(app: AppRow): Promise<number>;
}

/** Creates the operator's view of sessions. */
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
      // A session that ended meanwhile is none.
      const ended = isOther ? 0 : await store.endByOperator(sessionEnd(owner, sid, sessions), now());
      if (ended === 0) throw new ServiceError('session.unknown');
    },
    revokeAll: (app) => store.endByOperator(sessionEnd(app, undefined, sessions), now()),
  };
}
