import { ServiceError } from '../../errors/service-error.ts';
import type { AppRow, AppStore } from '../../storage/apps/apps.ts';
import type { ClientSecretRow } from '../../storage/apps/client-secrets.ts';
import { findApp } from '../apps.ts';
import { makeSecret, type NewSecret } from './secrets.ts';

/** Default time in milliseconds for which the old secret works alongside the new one. */
export const DEFAULT_OVERLAP_MS: number = 24 * 3_600_000;

/** Parameters of a rotation. */
export interface Rotation {
  /** 32 bytes, `secretKeyOf`. */
  readonly secretKey: () => Uint8Array;
  /** Time in milliseconds for which the old secret still works. */
  readonly overlapMs: number;
  /** Whether the secret is created outside the production profile, which refuses to start with it. */
  readonly isDevelopment: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Called with the new secret before it is stored. */
  readonly beforeWrite?: (secret: NewSecret) => Promise<void>;
}

/**
 * Adds a new secret to a client and lets the old one expire after `overlapMs`.
 *
 * @throws ServiceError `app.public`, `app.two_secrets`, `app.unknown`, `app.read_only`
 */
export async function rotateSecret(
  apps: Pick<AppStore, 'findByAppId' | 'findByRpId' | 'addSecret'>,
  id: string,
  { secretKey, overlapMs, isDevelopment, now, beforeWrite }: Rotation,
): Promise<{ readonly app: AppRow; readonly secret: NewSecret }> {
  const app = await findApp(apps, id);
  const { appId } = app;
  if (app.client.tokenEndpointAuthMethod === 'none') throw new ServiceError('app.public');
  const secret = makeSecret({ appId, isDevelopment, secretKey: secretKey() }, now);
  await beforeWrite?.(secret);
  if (!(await apps.addSecret(secret.row, now + overlapMs, now))) throw new ServiceError('app.two_secrets');
  return { app, secret };
}

/**
 * Removes a secret with immediate effect.
 *
 * @throws ServiceError `app.secret_unknown`, `app.unknown`, `app.read_only`
 */
export async function removeSecret(
  apps: Pick<AppStore, 'findByAppId' | 'findByRpId' | 'removeSecret'>,
  id: string,
  secretId: string,
): Promise<AppRow> {
  const app = await findApp(apps, id);
  if (!(await apps.removeSecret(app.appId, secretId))) throw new ServiceError('app.secret_unknown');
  return app;
}

/** Returns the live secrets created outside production, which production refuses. */
export async function developmentSecrets(
  apps: Pick<AppStore, 'list' | 'listSecrets'>,
  now: number,
): Promise<ClientSecretRow[]> {
  const found: ClientSecretRow[] = [];
  for (const { appId } of await apps.list()) {
    const secrets = await apps.listSecrets(appId, now);
    found.push(...secrets.filter((secret) => secret.isDevelopment));
  }
  return found;
}
