import type { SecretCensus } from '../../../apps/secrets/secrets.ts';
import { clockOffset } from '../../../clock-offset.ts';
import { isStaging } from '../../../config/apps/app-forms.ts';
import type { Config } from '../../../config/settings/types.ts';
import type { LoadedConfig } from '../../../config/sources/loaded-config.ts';
import { isServiceError } from '../../../errors/service-error.ts';
import { checkKeyUse, readKey } from '../../../membership/keys/verifying-keys.ts';
import type { AppRow } from '../../../storage/apps/apps.ts';
import type { Durability } from '../../../storage/drivers/driver.ts';
import type { NodeRow } from '../../../storage/nodes.ts';
import type { OutboxCounts } from '../../../storage/outbox.ts';
import type { IssuerKeyRow } from '../../../storage/refresh/issuer-keys.ts';
import type { SigningKeyRow } from '../../../storage/signin/signing-keys.ts';
import type { Store } from '../../../storage/store.ts';
import { messageOf } from '../../../text.ts';
import type { CommandContext } from '../../program/command.ts';
import { type CheckResult, fail, ok, warn } from '../check.ts';
import { countClientSecrets } from './client-secrets.ts';
import { type RootsState, rootsStateOf } from './worldid/roots-state.ts';
import { type SigninWorldId4State, signinWorldId4StateOf } from './worldid/signin-worldid4.ts';

const MAX_OFFSET_MS = 1000;

/** Results of the checks of the store, and what other checks need from it. */
export interface StoreChecks {
  readonly results: readonly CheckResult[];
  readonly newestRecord: number | undefined;
  /** Published sign-in keys; undefined if they cannot be read. */
  readonly signingKeys: readonly SigningKeyRow[] | undefined;
  /** Credential keys of every issuer schema; undefined if they cannot be read. */
  readonly issuerKeys: readonly IssuerKeyRow[] | undefined;
  /** Client secrets by their keys; undefined if they cannot be counted. */
  readonly secrets: SecretCensus | undefined;
  /** Sources of roots and trees that have a root; undefined if they cannot be read. */
  readonly roots: RootsState | undefined;
  /** What sign-in with World ID 4.0 needs; undefined if it is off or cannot be read. */
  readonly signinWorldId4: SigninWorldId4State | undefined;
  /** Events of webhooks that were not received; undefined if they cannot be counted. */
  readonly outbox: OutboxCounts | undefined;
  /** Processes that share the store; undefined if they cannot be read. */
  readonly nodes: readonly NodeRow[] | undefined;
}

async function checkMigrations(store: Store, isProduction: boolean): Promise<CheckResult> {
  const { applied, pending } = await store.migrationStatus();
  if (pending.length === 0) {
    return ok('migrations', `${applied.length} applied, none pending`);
  }
  const report = isProduction ? fail : warn;
  if (applied.length === 0) {
    const cure =
      'If there was a store, correct storage.url, which names another database; else run `proofgate migrate up`.';
    return report('migrations', 'the database is empty', cure);
  }
  const names = pending.map((migration) => migration.name).join(', ');
  const detail = `pending: ${names}${isProduction ? '' : '; applied at the next start'}`;
  return report('migrations', detail, 'Run `proofgate migrate up`.');
}

/**
 * Checks that the store is reachable, writable and durable. A probe that is late on a busy machine is repeated once, as
 * the readiness of a server allows one, too.
 */
export async function checkHealth(store: Pick<Store, 'probe'>): Promise<CheckResult[]> {
  const first = await store.probe();
  const { isReachable, isWritable, reason, durability } = first.isWritable ? first : await store.probe();
  const cure =
    durability.failover === undefined
      ? 'Check path, owner, permissions and free space of the database file and its folder.'
      : 'Make the database server answer and accept writes.';
  const health =
    isReachable && isWritable
      ? ok('store', 'reachable and writable')
      : fail('store', reason ?? (isReachable ? 'not writable' : 'not reachable'), cure);
  return [health, checkDurability(durability), ...checkFailover(durability)];
}

function checkDurability({ text, faults }: Durability): CheckResult {
  if (faults.length === 0) return ok('durability', text);
  return fail(
    'durability',
    faults.join('; '),
    'Change the setting: an acknowledged nullifier must survive a crash.',
  );
}

/** Reports the possible losses at a failover of the database, if one is possible. */
function checkFailover({ failover }: Durability): CheckResult[] {
  if (failover === undefined) return [];
  if (failover.isSafe) return [ok('failover', failover.text)];
  const cure = 'Name a synchronous standby in synchronous_standby_names and set synchronous_commit to on.';
  return [warn('failover', failover.text, cure)];
}

/** Compares the clock with that of a database server. */
async function checkOffset(store: Store, now: () => number): Promise<CheckResult[]> {
  if (store.health().durability.failover === undefined) return [];
  const offset = await clockOffset(now, () => store.nodes.time());
  const detail = `${offset.offsetMs} ms ahead of the database server`;
  if (!offset.exceeds(MAX_OFFSET_MS)) return [ok('clock offset', detail)];
  return [warn('clock offset', detail, 'Run a time service on both machines (systemd-timesyncd, chrony).')];
}

/** Lists the apps of the registry and of the configuration. */
async function appsOf(
  { config }: LoadedConfig,
  { apps }: Pick<Store, 'apps'>,
): Promise<Pick<AppRow, 'appId' | 'policy'>[]> {
  const listed = config.apps.list.map(({ clientId: appId, policy }) => ({ appId, policy }));
  return [...listed, ...(await apps.list())];
}

async function newestRecord(store: Store): Promise<number | undefined> {
  const roots = await store.roots.list();
  const apps = await store.apps.list();
  const times = [...roots.map((root) => root.receivedAt), ...apps.map((app) => app.createdAt)];
  return times.length === 0 ? undefined : times.reduce((latest, time) => Math.max(latest, time));
}

/**
 * Counts the client secrets; undefined also if the settings have no usable key, which another check reports.
 */
async function secretsOf(config: Config, store: Store, now: number): Promise<SecretCensus | undefined> {
  try {
    return await countClientSecrets(config, store, now);
  } catch (error) {
    if (isServiceError(error, 'config.invalid')) return undefined;
    throw error;
  }
}

/** The cure of the catalogue for `store.unreachable` is this command. */
const FILE_CURE = 'Check storage.url, and path, owner, permissions and free space of the database file.';
const LOST_CURE =
  'Stop the running service, which still has the file open, put the file back or restore a backup, and start it again.';

function failedStore(error: unknown, isServed: boolean | undefined): CheckResult {
  if (!isServiceError(error)) return fail('store', messageOf(error), FILE_CURE);
  const { code, message, details, spec } = error;
  const cure = details.cure ?? (code === 'store.unreachable' ? FILE_CURE : spec.cure);
  if (code === 'store.absent' && isServed === true) return { ...fail('store', message, LOST_CURE), code };
  return { ...fail('store', message, cure), code };
}

/**
 * Opens the store as it is and checks that it is reachable, writable, durable and migrated.
 *
 * @param isServed - Whether a server runs on the data folder; undefined if that is not known.
 */
export async function checkStore(
  loaded: LoadedConfig,
  context: CommandContext,
  isServed: boolean | undefined,
): Promise<StoreChecks> {
  try {
    return await context.withStore(
      loaded,
      async (store) => {
        const health = await checkHealth(store);
        const isProduction = loaded.config.profile === 'production';
        const migrations = await checkMigrations(store, isProduction);
        const hasTables = migrations.status === 'ok';
        const refreshKey = hasTables ? [await checkRefreshKey(loaded.config, store.verifyingKeys)] : [];
        const policies = hasTables ? [checkAppPolicies(await appsOf(loaded, store), isProduction)] : [];
        const offset = await checkOffset(store, context.now);
        return {
          results: [...health, ...offset, migrations, ...policies, ...refreshKey],
          newestRecord: hasTables ? await newestRecord(store) : undefined,
          signingKeys: hasTables ? await store.signingKeys.list('signin', context.now()) : undefined,
          issuerKeys: hasTables ? await store.issuerKeys.listAll() : undefined,
          secrets: hasTables ? await secretsOf(loaded.config, store, context.now()) : undefined,
          roots: hasTables ? await rootsStateOf(loaded.config, store, context.now()) : undefined,
          signinWorldId4: hasTables ? await signinWorldId4StateOf(loaded.config, store) : undefined,
          outbox: hasTables ? await store.outbox.counts(context.now()) : undefined,
          nodes: hasTables ? await store.nodes.list() : undefined,
        };
      },
      { anyVersion: true },
    );
  } catch (error) {
    return {
      results: [failedStore(error, isServed)],
      newestRecord: undefined,
      signingKeys: undefined,
      issuerKeys: undefined,
      secrets: undefined,
      roots: undefined,
      signinWorldId4: undefined,
      outbox: undefined,
      nodes: undefined,
    };
  }
}

const NAME = 'refresh key';

/** Checks that the verifying key of holder proofs exists, is intact, and may be trusted in this profile. */
export async function checkRefreshKey(
  { refresh, profile }: Pick<Config, 'refresh' | 'profile'>,
  verifyingKeys: Store['verifyingKeys'],
): Promise<CheckResult> {
  const keyId = refresh.verificationKey;
  if (!refresh.enabled) return ok(NAME, 'refresh.enabled is false: none is needed');
  try {
    const key = await readKey(keyId, profile, verifyingKeys);
    if (key === undefined) {
      return fail(
        NAME,
        `profile ${profile} has no verifying key ${keyId}`,
        'Set refresh.verificationKey to a key of `proofgate vkey list`, or import one.',
      );
    }
    checkKeyUse(key, profile);
    return ok(NAME, `${keyId}, origin ${key.origin}`);
  } catch (error) {
    return fail(NAME, messageOf(error), isServiceError(error) ? error.spec.cure : 'Report it.');
  }
}

const APP_POLICIES = 'app policies';
const MAX_NAMED_APPS = 20;

/**
 * Names the apps that accept proofs of staging, where anybody can make identities, although their ids are not for staging
 * (spec/verification.md#verification-policy).
 */
function checkAppPolicies(
  apps: readonly Pick<AppRow, 'appId' | 'policy'>[],
  isProduction: boolean,
): CheckResult {
  const open = apps.filter(
    ({ appId, policy }) => !isStaging(appId) && policy.environments.includes('staging'),
  );
  if (open.length === 0)
    return ok(APP_POLICIES, 'no app accepts staging proofs, except those with staging ids');
  const names = open.slice(0, MAX_NAMED_APPS).map(({ appId }) => appId);
  const more = open.length > MAX_NAMED_APPS ? ` and ${open.length - MAX_NAMED_APPS} more` : '';
  const detail = `accept proofs of staging, where anybody can make identities: ${names.join(', ')}${more}`;
  if (!isProduction) return ok(APP_POLICIES, detail);
  return warn(
    APP_POLICIES,
    detail,
    `Unless an app needs them: \`proofgate apps update ID --policy '{"environments":["production"]}'\`, with the other members of its policy.`,
  );
}
