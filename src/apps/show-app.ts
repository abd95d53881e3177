import { fieldsOfClient, namesResponseTypes } from '../config/apps/client-of.ts';
import type { AppFields } from '../config/apps/fields.ts';
import type { VerificationPolicy } from '../config/apps/policy.ts';
import type { AppRow } from '../storage/apps/apps.ts';
import type { ClientSecretRow } from '../storage/apps/client-secrets.ts';
import { isoTime } from '../text.ts';
import type { Registered } from './apps.ts';

/** A secret for display after its creation, without its value. */
export interface ShownSecret {
  readonly secret_id: string;
  readonly created_at: string | null;
  /** Null if it does not expire. */
  readonly expires_at: string | null;
}

/** An app for display, with members spelled as on the wire. */
export interface ShownApp extends Required<Omit<AppFields, 'client_id' | 'policy'>> {
  readonly app_id: string;
  readonly policy: VerificationPolicy;
  /** Whether `response_types` was set explicitly: only then a session answers other types than `code`. */
  readonly response_types_named: boolean;
  readonly logo: boolean;
  readonly development: boolean;
  /** Null for an app of the configuration, which has no times. */
  readonly created_at: string | null;
  readonly updated_at: string | null;
  /** Increases with every change. */
  readonly version: number;
  /** Live secrets, the oldest first; only if they were requested. */
  readonly secrets?: readonly ShownSecret[];
}

/** Returns an app for display, with secrets if given. */
export function appJson(app: AppRow, secrets?: readonly ClientSecretRow[]): ShownApp {
  return {
    app_id: app.appId,
    rp_id: app.rpId,
    name: app.name,
    status: app.status,
    verification: app.verification,
    policy: app.policy,
    ...fieldsOfClient(app.client),
    response_types_named: namesResponseTypes(app.client),
    logo: app.hasLogo,
    development: app.isDevelopment,
    created_at: timeOf(app.createdAt),
    updated_at: timeOf(app.updatedAt),
    version: app.updatedAt,
    ...(secrets === undefined ? {} : { secrets: secrets.map(secretJson) }),
  };
}

/** Returns a new app for display with its first secret, whose value is shown only here. */
export function registeredJson({ app, secret }: Registered): ShownApp & { readonly client_secret?: string } {
  if (secret === undefined) return appJson(app);
  return { ...appJson(app, [secret.row]), client_secret: secret.value };
}

/** Returns a secret for display. */
export function secretJson({ secretId, createdAt, expiresAt }: ClientSecretRow): ShownSecret {
  return {
    secret_id: secretId,
    created_at: timeOf(createdAt),
    expires_at: expiresAt === null ? null : isoTime(expiresAt),
  };
}

function timeOf(time: number): string | null {
  return time === 0 ? null : isoTime(time);
}
