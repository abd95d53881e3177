import type { AppRow } from '../storage/index.ts';
import { isoTime } from './iso-time.ts';

/** An app as `--json` gives it. */
export interface ShownApp {
  readonly app_id: string;
  readonly rp_id: string;
  readonly name: string;
  readonly status: AppRow['status'];
  readonly verification: AppRow['verification'];
  readonly development: boolean;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The members of an app, spelled as on the wire. */
export function appJson(app: AppRow): ShownApp {
  return {
    app_id: app.appId,
    rp_id: app.rpId,
    name: app.name,
    status: app.status,
    verification: app.verification,
    development: app.isDevelopment,
    created_at: isoTime(app.createdAt),
    updated_at: isoTime(app.updatedAt),
  };
}

/** An app as text, one member a line. */
export function appText(app: AppRow): string {
  return Object.entries(appJson(app))
    .map(([member, value]) => `${member.padEnd(12)}  ${value}`)
    .join('\n');
}
