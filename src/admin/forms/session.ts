import { toHex } from '../../semaphore/index.ts';
import type { Level, SessionRow } from '../../storage/index.ts';
import { isoTime } from '../../text.ts';

/** Session of a person with an app as the admin API and `sessions list --json` show it. */
export interface ShownSession {
  readonly sid: string;
  readonly app_id: string;
  /** Only its beginning: enough to tell people apart, and nobody can use it. */
  readonly sub: string;
  readonly level: Level;
  /** When the person proved. */
  readonly auth_time: string;
  readonly created_at: string;
  readonly expires_at: string;
}

const SUB_CHARACTERS = 10;

/** Returns the members of a session. */
export function sessionJson({ sid, clientId, accepted, createdAt, expiresAt }: SessionRow): ShownSession {
  return {
    ...{ sid, app_id: clientId, sub: `${toHex(accepted.sub).slice(0, SUB_CHARACTERS)}…` },
    ...{ level: accepted.level, auth_time: isoTime(accepted.authTime) },
    ...{ created_at: isoTime(createdAt), expires_at: isoTime(expiresAt) },
  };
}
