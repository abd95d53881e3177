import { createReadThroughCache, type ReadThroughCache } from '../../storage/read-through-cache.ts';
import type { StoreChanges } from '../../storage/store-changes.ts';
import type { Environment } from '../../storage/values.ts';
import type { IssuerKey4Row, OprfKey4Row, WorldId4KeyStore } from '../../storage/worldid4-keys.ts';

const MAX_CACHED_KEYS = 10_000;
const MAX_KEY_READS = 16;

/** Keys of World ID 4.0 that enter statements (spec/worldid4.md#state). */
export interface WorldId4Keys {
  /** Returns the key of a credential issuer if it was read within the cache time; never reads the store. */
  peekIssuer(environment: Environment, issuerSchemaId: string): IssuerKey4Row | undefined;
  /** Returns the OPRF key of a relying party as `peekIssuer` does. */
  peekOprfKey(environment: Environment, rpId: string): OprfKey4Row | undefined;
  /**
   * Looks up the key of a credential issuer, in memory if it was read within the cache time, else in the store.
   *
   * @param issuerSchemaId - Decimal digits without leading zeros.
   * @returns The row, or undefined if there is none.
   * @throws ServiceError `store.unreachable`
   */
  issuer(environment: Environment, issuerSchemaId: string): Promise<IssuerKey4Row | undefined>;
  /** Looks up the OPRF key of a relying party as `issuer` does, by its registered `rp_id`. */
  oprfKey(environment: Environment, rpId: string): Promise<OprfKey4Row | undefined>;
}

/**
 * Creates the lookup over a store. A removed key is accepted until its cache time ends. Misses are not cached, so an
 * added key is accepted at once.
 */
export function createWorldId4Keys(
  store: Pick<WorldId4KeyStore, 'findIssuer' | 'findOprfKey'>,
  cacheMs: number,
  now: () => number,
  changes?: Pick<StoreChanges, 'count'>,
): WorldId4Keys {
  const cacheOf = <Row extends object>(
    read: (environment: Environment, id: string) => Promise<Row | undefined>,
  ): ReadThroughCache<Row> =>
    createReadThroughCache({
      read: (key) => {
        const [environment, id] = key.split('/') as [Environment, string];
        return read(environment, id);
      },
      maxAgeMs: cacheMs,
      maxEntries: MAX_CACHED_KEYS,
      maxReads: MAX_KEY_READS,
      now,
      changes,
    });
  const issuers = cacheOf((environment, id) => store.findIssuer(environment, id));
  const oprfKeys = cacheOf((environment, id) => store.findOprfKey(environment, id));

  return {
    peekIssuer: (environment, id) => issuers.peek(`${environment}/${id}`),
    peekOprfKey: (environment, id) => oprfKeys.peek(`${environment}/${id}`),
    issuer: (environment, id) => issuers.get(`${environment}/${id}`),
    oprfKey: (environment, id) => oprfKeys.get(`${environment}/${id}`),
  };
}
