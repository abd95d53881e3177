import { createHash } from 'node:crypto';
import type { ConfiguredApp } from '../config/settings/types.ts';
import { throwFaults } from '../config/sources/faults.ts';
import { ServiceError } from '../errors/service-error.ts';
import { rpIdOf } from '../semaphore/hashes.ts';
import type { AppRow, AppStore } from '../storage/apps/apps.ts';
import type { ClientSecretRow } from '../storage/apps/client-secrets.ts';
import type { KeyConfig } from './secrets/master-key.ts';
import { secretHash, secretKeyId, secretKeyOf } from './secrets/secrets.ts';

/**
 * Adds the apps of the configuration, read-only, to the registry of the store (spec/sign-in.md#client-administration):
 * server and commands use the same registry. Returns `apps` itself if the configuration has none.
 *
 * @throws ServiceError `config.invalid` if an app is in both places or two have one rp_id, `store.unreachable`
 */
export async function openApps(config: KeyConfig, apps: AppStore): Promise<AppStore> {
  const { list } = config.apps;
  if (list.length === 0) return apps;
  await refuseDuplicates(list, apps);
  return addConfiguredApps(config, apps);
}

/** Adds the apps of the configuration to a registry, without a check for duplicates. */
export function addConfiguredApps(config: KeyConfig, apps: AppStore): AppStore {
  const { list } = config.apps;
  if (list.length === 0) return apps;
  return withConfiguredApps(apps, list, () => secretKeyOf(config), config.profile !== 'production');
}

async function refuseDuplicates(list: readonly ConfiguredApp[], apps: AppStore): Promise<void> {
  const faults: string[] = [];
  const ownerOf = new Map<string, string>();
  for (const entry of list) {
    const { clientId } = entry;
    const rpId = listedRpId(entry);
    const owner = ownerOf.get(rpId);
    if (owner !== undefined) {
      faults.push(`apps.list "${clientId}" has the rp_id of "${owner}"; give one of them another rp_id`);
    }
    ownerOf.set(rpId, clientId);
    const twin = (await apps.findByAppId(clientId)) ?? (await apps.findByRpId(rpId));
    if (twin === undefined) continue;
    const what = twin.appId === clientId ? 'is in the registry too' : `has the rp_id of ${twin.appId}`;
    faults.push(
      `apps.list "${clientId}" ${what}; keep one: remove it from the configuration, or run \`proofgate apps remove ${twin.appId}\` without it`,
    );
  }
  throwFaults(faults);
}

function listedRpId({ clientId, rpId }: ConfiguredApp): string {
  return rpId ?? rpIdOf(clientId);
}

interface Listed {
  readonly app: AppRow;
  readonly secrets: readonly ClientSecretRow[];
  readonly logo: ConfiguredApp['logo'];
}

/**
 * Wraps a registry and adds read-only apps to it.
 *
 * @param secretKey - Called only if an app has a secret.
 */
export function withConfiguredApps(
  apps: AppStore,
  list: readonly ConfiguredApp[],
  secretKey: () => Uint8Array,
  isDevelopment: boolean,
): AppStore {
  const byAppId = new Map<string, Listed>(
    list.map((app) => [app.clientId, listed(app, secretKey, isDevelopment)]),
  );
  const byRpId = new Map([...byAppId.values()].map((entry) => [entry.app.rpId, entry]));
  const refuse = (appId: string): void => {
    if (byAppId.has(appId)) {
      throw new ServiceError('app.read_only', `app ${appId} is in apps.list; change it in the configuration`);
    }
  };
  return {
    findByAppId: async (appId) => byAppId.get(appId)?.app ?? (await apps.findByAppId(appId)),
    findByRpId: async (rpId) => byRpId.get(rpId)?.app ?? (await apps.findByRpId(rpId)),
    list: async () => [...[...byAppId.values()].map((entry) => entry.app), ...(await apps.list())],
    async page(limit, search = '', after) {
      // An app of the configuration was created at the epoch, before all others.
      const stored = after?.createdAt === 0 ? [] : await apps.page(limit, search, after);
      const text = search.toLowerCase();
      const own = [...byAppId.values()]
        .map((entry) => entry.app)
        .filter(({ appId, rpId, name }) =>
          [appId, rpId, name.toLowerCase()].some((part) => part.includes(text)),
        )
        .filter(({ appId }) => after?.createdAt !== 0 || appId < after.appId)
        .sort((one, other) => (one.appId < other.appId ? 1 : -1));
      return [...stored, ...own].slice(0, limit);
    },
    async create(app, secret, logo) {
      if (byAppId.has(app.appId) || byRpId.has(app.rpId)) {
        throw new ServiceError('app.exists', `app_id ${app.appId} or rp_id ${app.rpId} is in apps.list`);
      }
      await apps.create(app, secret, logo);
    },
    async update(appId, change, updatedAt, version) {
      refuse(appId);
      if (change.rpId !== undefined && byRpId.has(change.rpId)) {
        throw new ServiceError('app.rp_id_taken', `rp_id ${change.rpId} is in apps.list`, {
          path: 'rp_id',
        });
      }
      return await apps.update(appId, change, updatedAt, version);
    },
    async remove(appId, version) {
      refuse(appId);
      await apps.remove(appId, version);
    },
    listSecrets: async (appId, now) => [
      ...(byAppId.get(appId)?.secrets ?? (await apps.listSecrets(appId, now))),
    ],
    async addSecret(secret, endOfOthers, now) {
      refuse(secret.appId);
      return await apps.addSecret(secret, endOfOthers, now);
    },
    async removeSecret(appId, secretId) {
      refuse(appId);
      return await apps.removeSecret(appId, secretId);
    },
    rehashSecret: async (change, now) => !byAppId.has(change.appId) && (await apps.rehashSecret(change, now)),
    countSecrets: (now) => apps.countSecrets(now),
    clientsWithOtherKey: (keyId, now, limit) => apps.clientsWithOtherKey(keyId, now, limit),
    async logo(appId) {
      const entry = byAppId.get(appId);
      return entry === undefined ? await apps.logo(appId) : entry.logo;
    },
  };
}

function listed(configured: ConfiguredApp, secretKey: () => Uint8Array, isDevelopment: boolean): Listed {
  const { clientId, secret, logo, ...entry } = configured;
  // The configuration has no times; the epoch never counts as a change.
  const times = { createdAt: 0, updatedAt: 0 };
  const app = {
    ...entry,
    appId: clientId,
    rpId: listedRpId(configured),
    isDevelopment,
    hasLogo: logo !== undefined,
  };
  if (secret === undefined) return { app: { ...app, ...times }, secrets: [], logo };
  const key = secretKey();
  const hash = secretHash(key, clientId, secret);
  // Derived from the hash, so that all nodes have the same id.
  const secretId = `cs_${createHash('sha256').update(hash).digest('hex').slice(0, 16)}`;
  const row = {
    secretId,
    appId: clientId,
    hash,
    isDevelopment,
    createdAt: 0,
    expiresAt: null,
    keyId: secretKeyId(key),
  };
  return { app: { ...app, ...times }, secrets: [row], logo };
}
