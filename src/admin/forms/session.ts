import { type SessionRow, shortDigest } from '../../storage/index.ts';
import { isoTime } from '../../text.ts';

/** Session of a person with an app as the admin API and `sessions list --json` show it. */
export interface ShownSession {
  readonly sid: string;
  readonly app_id: string;
  /** First 8 hex digits of the SHA-256 of the sub: tells the sessions of one person. */
  readonly person: string;
  readonly acr: 'orb' | 'device';
  /** When the person proved. */
  readonly auth_time: string;
  readonly created_at: string;
  readonly expires_at: string;
}

/** Returns the members of a session. */
export function sessionJson({ sid, clientId, accepted, createdAt, expiresAt }: SessionRow): ShownSession {
  return {
    ...{ sid, app_id: clientId, person: shortDigest(accepted.sub) },
    ...{ acr: accepted.level, auth_time: isoTime(accepted.authTime) },
    ...{ created_at: isoTime(createdAt), expires_at: isoTime(expiresAt) },
  };
}
