import type { AppStore } from '../../storage/index.ts';
import type { SecretKeys } from './secret-key.ts';
import { secretKeyId } from './secrets.ts';

/** Live secrets of the registry, by what is known of the key that each is hashed under. */
export interface SecretCensus {
  /** Under the key in force. */
  readonly current: number;
  /** Under a former key that the settings still have: taken, and hashed anew at the next use. */
  readonly former: number;
  /** Made by an earlier release, which did not record the key: the next use settles it, or refuses the client. */
  readonly unknown: number;
  /** Under a key that the settings do not have: refused. */
  readonly lost: number;
  /** Number of secrets by the id of their key; the empty id for those whose key is not recorded. */
  readonly byKeyId: ReadonlyMap<string, number>;
  /** Ids of the first clients with a secret that is not known to be under the key in force. */
  readonly clients: readonly string[];
}

const MAX_CLIENTS = 20;

/**
 * Counts the secrets of the registry; those of the configuration are under the key in force by every start.
 *
 * @param now - Milliseconds since the epoch.
 * @throws ServiceError `store.unreachable`
 */
export async function secretCensus(
  apps: Pick<AppStore, 'countSecrets' | 'clientsBesideKey'>,
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
  const clients = total === counts.current ? [] : await apps.clientsBesideKey(currentId, now, MAX_CLIENTS);
  return { ...counts, lost, byKeyId, clients };
}

/** The counts as a sentence, with the clients that they concern; without parts that are 0. */
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
