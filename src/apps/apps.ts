import { randomBytes } from 'node:crypto';
import { ServiceError } from '../errors/index.ts';
import { rpIdOf } from '../semaphore/hashes.ts';
import { type AppRow, type AppStore, DEFAULT_CLIENT, type VerificationState } from '../storage/index.ts';
import { APP_ID } from './app-id.ts';

/** States of an app as a relying party, in the order of the messages that list them. */
export const VERIFICATION_STATES: readonly VerificationState[] = [
  'none',
  'pending',
  'registered',
  'failed',
  'deactivated',
];

const MAX_NAME_CHARACTERS = 64;
const FORBIDDEN_IN_NAME = /[\p{Cc}\p{Surrogate}]/u;

/** What an operator gives of a new app. */
export interface NewApp {
  /** Generated where absent. */
  readonly appId?: string;
  /** The app id where absent. */
  readonly name?: string;
  readonly isDevelopment?: boolean;
}

/**
 * Adds an app, active and registered for verification; its rp_id follows from the app id.
 *
 * @param now - Milliseconds since the epoch.
 * @throws ServiceError `app.invalid`, `app.exists`, `store.unreachable`
 */
export async function createApp(
  apps: Pick<AppStore, 'create'>,
  { appId = `app_${randomBytes(16).toString('hex')}`, name = appId, isDevelopment = false }: NewApp,
  now: number,
): Promise<AppRow> {
  if (!APP_ID.test(appId)) {
    throw new ServiceError(
      'app.invalid',
      'app_id: expected app_ or app_staging_ and 32 lower-case hex digits',
      { path: 'app_id' },
    );
  }
  const app: AppRow = {
    appId,
    rpId: rpIdOf(appId),
    name: checkName(name),
    status: 'active',
    verification: 'registered',
    isDevelopment,
    client: DEFAULT_CLIENT,
    hasLogo: false,
    createdAt: now,
    updatedAt: now,
  };
  await apps.create(app);
  return app;
}

/**
 * The app with this app_id or rp_id.
 *
 * @throws ServiceError `app.unknown`
 */
export async function findApp(
  apps: Pick<AppStore, 'findByAppId' | 'findByRpId'>,
  id: string,
): Promise<AppRow> {
  const app = id.startsWith('rp_') ? await apps.findByRpId(id.toLowerCase()) : await apps.findByAppId(id);
  if (!app) throw new ServiceError('app.unknown', 'no app has this app_id or rp_id');
  return app;
}

/**
 * Enables or disables an app.
 *
 * @throws ServiceError `app.unknown`
 */
export async function setAppStatus(
  apps: AppStore,
  id: string,
  status: AppRow['status'],
  now: number,
): Promise<AppRow> {
  const { appId } = await findApp(apps, id);
  return apps.update(appId, { status }, now);
}

/** Changes that `apps update` makes; absent members stay as they are. */
export interface AppChange {
  readonly name?: string;
  readonly verification?: string;
}

/**
 * Changes name or verification state of an app.
 *
 * @throws ServiceError `app.invalid`, `app.unknown`
 */
export async function updateApp(apps: AppStore, id: string, change: AppChange, now: number): Promise<AppRow> {
  const { name, verification } = change;
  const checked = {
    ...(name === undefined ? {} : { name: checkName(name) }),
    ...(verification === undefined ? {} : { verification: checkVerification(verification) }),
  };
  const { appId } = await findApp(apps, id);
  return apps.update(appId, checked, now);
}

/**
 * Removes an app; its id is then unknown.
 *
 * @throws ServiceError `app.unknown`
 */
export async function removeApp(apps: AppStore, id: string): Promise<AppRow> {
  const app = await findApp(apps, id);
  await apps.remove(app.appId);
  return app;
}

function checkName(name: string): string {
  const length = [...name].length;
  if (length < 1 || length > MAX_NAME_CHARACTERS || FORBIDDEN_IN_NAME.test(name)) {
    throw new ServiceError(
      'app.invalid',
      `name: expected 1 to ${MAX_NAME_CHARACTERS} characters without control characters`,
      { path: 'name' },
    );
  }
  return name;
}

function checkVerification(text: string): VerificationState {
  const state = VERIFICATION_STATES.find((known) => known === text);
  if (state === undefined) {
    throw new ServiceError('app.invalid', `verification: expected one of ${VERIFICATION_STATES.join(', ')}`, {
      path: 'verification',
    });
  }
  return state;
}
