import { encodeUtf8 } from '../../bytes.ts';
import type { Config } from '../../config/settings/types.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { boundKey } from '../../membership/keys/verifying-keys.ts';
import { hashToField } from '../../semaphore/hashes.ts';
import { wordOf } from '../../semaphore/words.ts';
import type { AppRow } from '../../storage/apps/apps.ts';
import type { RootRow } from '../../storage/roots.ts';
import type { Store } from '../../storage/store.ts';
import type { Bytes32 } from '../../storage/values.ts';

/** Environment of this state. */
export const ENVIRONMENT = 'staging';
/** Id of the verifying key of the proofs. */
export const TRAPDOOR_KEY = 'trapdoor-15';
const TREE = 'account';
const SOURCE = 'development';
const ROOT: Bytes32 = hashToField(encodeUtf8('proofgate development root of World ID 4.0'));
/**
 * The generator of the prime subgroup (spec/credential.md#babyjubjub) is the key of every owner: a proof by the
 * trapdoor contains neither a signature nor an OPRF output.
 */
const POINT: { readonly x: Bytes32; readonly y: Bytes32 } = {
  x: wordOf(5299619240641551281634865583518297030282874472190772894086521144482721001553n),
  y: wordOf(16950150798460657717958625567821834550301663161624707787222815936182638968203n),
};

/** The part of the store with the state of World ID 4.0. */
export type StateTables = Pick<Store, 'roots' | 'worldId4Keys'>;

/** Rows that `seedWorldId4` added; existing rows are unchanged. */
export interface SeededRows {
  readonly isRootNew: boolean;
  readonly isIssuerNew: boolean;
  /** rp_ids of the apps whose OPRF key is new. */
  readonly oprfKeys: readonly string[];
}

/**
 * Adds the rows for World ID 4.0 development proofs to the environment `staging`: a root for the key trapdoor-15, the
 * key of an issuer, and an OPRF key of each app registered for verification.
 *
 * @param issuerSchemaId - Decimal digits without leading zeros.
 * @param now - Milliseconds since the epoch.
 * @throws ServiceError `store.unreachable`
 */
export async function seedWorldId4(
  { roots, worldId4Keys: keys }: StateTables,
  issuerSchemaId: string,
  apps: readonly Pick<AppRow, 'rpId' | 'verification'>[],
  now: number,
): Promise<SeededRows> {
  const row = {
    environment: ENVIRONMENT,
    ...POINT,
    source: SOURCE,
    updatedAt: now,
    removedAt: null,
  } as const;
  const isIssuerNew = (await keys.findIssuer(ENVIRONMENT, issuerSchemaId)) === undefined;
  const known = new Set((await keys.listOprfKeys()).map(({ environment, rpId }) => `${environment} ${rpId}`));
  const oprfKeys = apps
    .filter(({ rpId, verification }) => verification !== 'none' && !known.has(`${ENVIRONMENT} ${rpId}`))
    .map(({ rpId }) => rpId);
  await keys.put(
    isIssuerNew ? [{ ...row, issuerSchemaId }] : [],
    oprfKeys.map((rpId) => ({ ...row, rpId })),
  );
  const isRootNew = (await findTrapdoorRoot(roots)) === undefined;
  if (isRootNew) {
    await roots.put([
      {
        environment: ENVIRONMENT,
        tree: TREE,
        root: ROOT,
        source: SOURCE,
        keyId: TRAPDOOR_KEY,
        receivedAt: now,
        supersededAt: null,
      },
    ]);
  }
  return { isRootNew, isIssuerNew, oprfKeys };
}

/**
 * Seeds the environment `staging` when a service starts with World ID 4.0, so that development proofs are accepted
 * without a command. Does nothing if the roots come from a source or an operator, or if another key is bound.
 *
 * @param now - Milliseconds since the epoch.
 * @throws ServiceError `store.unreachable`
 */
export async function seedWorldId4AtStart(
  config: Pick<Config, 'verify' | 'roots' | 'signin'>,
  store: StateTables & Pick<Store, 'apps'>,
  now: number,
): Promise<void> {
  const { worldid4, keys } = config.verify;
  const isOfTree = (row: { readonly environment: string; readonly tree: string }): boolean =>
    row.environment === ENVIRONMENT && row.tree === TREE;
  const hasKey = boundKey(keys, ENVIRONMENT, TREE) === TRAPDOOR_KEY;
  const isWanted = worldid4.enabled && worldid4.issuers.staging.length > 0 && hasKey;
  if (!isWanted || config.roots.sources.some(isOfTree)) return;
  const current = (await store.roots.listCurrent()).find(isOfTree);
  if (current !== undefined && current.source !== SOURCE) return;
  await seedWorldId4(
    store,
    developmentIssuer(config).issuerSchemaId,
    relyingParties(config, await store.apps.list()),
    now,
  );
}

/** Returns the relying parties that need an OPRF key: the apps, and sign-in. */
export function relyingParties(
  { signin }: Pick<Config, 'signin'>,
  apps: readonly AppRow[],
): readonly Pick<AppRow, 'rpId' | 'verification'>[] {
  const { rpId } = signin.worldid4;
  return rpId === undefined ? apps : [...apps, { rpId, verification: 'registered' }];
}

/**
 * Returns the issuer of development credentials: the first accepted one of the environment `staging`.
 *
 * @throws ServiceError `development.no_seed` if there is none
 */
export function developmentIssuer({ verify }: Pick<Config, 'verify'>): {
  /** Decimal digits. */
  readonly issuerSchemaId: string;
  readonly identifier: string;
} {
  const [first] = verify.worldid4.issuers.staging;
  const [issuerSchemaId, identifiers] = first?.split(':') ?? [];
  const identifier = identifiers?.split('|')[0];
  if (issuerSchemaId === undefined || identifier === undefined) {
    throw new ServiceError('development.no_seed', 'verify.worldid4.issuers.staging lists no issuer');
  }
  return { issuerSchemaId, identifier };
}

/** Returns the current root of the tree if its key is trapdoor-15. */
export async function findTrapdoorRoot(roots: StateTables['roots']): Promise<RootRow | undefined> {
  const current = await roots.listCurrent();
  return current.find(
    ({ environment, tree, keyId }) => environment === ENVIRONMENT && tree === TREE && keyId === TRAPDOOR_KEY,
  );
}
