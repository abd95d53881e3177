import type { AppStore } from '../../storage/index.ts';
import type { SecretKeys } from './secret-key.ts';
import { secretKeyId } from './secrets.ts';

/** Counts of live secrets in the registry, by the key under which each is hashed. */
export interface SecretCensus {
  /** Under the current key. */
  readonly current: number;
  /** Under a former key that is still in the settings: accepted, and rehashed at the next use. */
  readonly former: number;
  /** From an earlier release, which did not record the key: the next use either rehashes it or refuses the client. */
  readonly unknown: number;
  /** Under a key that is not in the settings: refused. */
  readonly lost: number;
  /** Number of secrets by key id; the id is empty where the key is not recorded. */
  readonly byKeyId: ReadonlyMap<string, number>;
  /** Ids of the first clients with a secret that is not known to be under the current key. */
  readonly clients: readonly string[];
}

const MAX_CLIENTS = 20;

/**
 * Counts the secrets of the registry. Those of the configuration are not counted: each start hashes them under the
 * current key.
 *
 * @param now - Milliseconds since the epoch.
 * @throws ServiceError `store.unreachable`
 */
export async function secretCensus(
  apps: Pick<AppStore, 'countSecrets' | 'clientsWithOtherKey'>,
  { current, former }: SecretKeys,
  now: number,
): Promise<SecretCensus> {
  const currentId = secretKeyId(current);
  const byKeyId = new Map<string, number>();
  for (const { keyId, count } of await apps.countSecrets(now)) byKeyId.set(keyId ?? '', count);
  const total = [...byKeyId.values()].reduce((sum, count) => sum + count, 0);
  const countOf = (keyId: string): number => byKeyId.get(keyId) ?? 0;
  const counts = {
    current: countOf(currentId),
    former: former.reduce((sum, key) => sum + countOf(secretKeyId(key)), 0),
    unknown: countOf(''),
  };
  const lost = total - counts.current - counts.former - counts.unknown;
  const clients = total === counts.current ? [] : await apps.clientsWithOtherKey(currentId, now, MAX_CLIENTS);
  return { ...counts, lost, byKeyId, clients };
}

/** Describes the counts that are not 0 in one line, with the clients that they concern. */
export function describeSecrets({ current, former, unknown, lost, clients }: SecretCensus): string {
  const parts = [
    `${current} under the key in force`,
    ...(former === 0 ? [] : [`${former} under a former key, until their next use`]),
    ...(unknown === 0
      ? []
      : [`${unknown} of an earlier release, whose key is not recorded, until their next use`]),
    ...(lost === 0 ? [] : [`${lost} refused, under a key that the settings do not have`]),
  ];
  const others = former + unknown + lost;
  if (others === 0) return parts.join('; ');
  return `${parts.join('; ')} (${clients.join(', ')}${clients.length < MAX_CLIENTS ? '' : ' and perhaps more'})`;
}
