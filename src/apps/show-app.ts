import { fieldsOfClient, namesResponseTypes } from '../config/apps/client-of.ts';
import type { AppFields } from '../config/apps/fields.ts';
import type { VerificationPolicy } from '../config/apps/policy.ts';
import type { AppRow } from '../storage/apps/apps.ts';
import type { ClientSecretRow } from '../storage/apps/client-secrets.ts';
import { isoTime } from '../text.ts';
import type { Registered } from './apps.ts';

/** Secret as it is shown after its creation: never its value. */
export interface ShownSecret {
  readonly secret_id: string;
  readonly created_at: string | null;
  /** Null if it does not expire. */
  readonly expires_at: string | null;
}

/** App as it is shown: members spelled as on the wire. */
export interface ShownApp extends Required<Omit<AppFields, 'client_id' | 'policy'>> {
  readonly app_id: string;
  readonly policy: VerificationPolicy;
  /** Whether the operator named them: only then a session answers other types than `code`. */
  readonly response_types_named: boolean;
  readonly logo: boolean;
  readonly development: boolean;
  /** Null for an app of the configuration, which has no times. */
  readonly created_at: string | null;
  readonly updated_at: string | null;
  /** Rises with every change. */
  readonly version: number;
  /** Live secrets, the oldest first; only if they were requested. */
  readonly secrets?: readonly ShownSecret[];
}

/** Returns the members of an app, with its secrets if they are given. */
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

/** Returns the members of a new app with its first secret: the only time that the value is shown. */
export function registeredJson({ app, secret }: Registered): ShownApp & { readonly client_secret?: string } {
  if (secret === undefined) return appJson(app);
  return { ...appJson(app, [secret.row]), client_secret: secret.value };
}

/** Returns the members of a secret. */
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
