import { isChainSource, type RootSource } from '../../../config/roots/source-types.ts';
import { ServiceError } from '../../../errors/service-error.ts';
import type { RootRow } from '../../../storage/roots.ts';
import type { Environment, Tree } from '../../../storage/values.ts';

/**
 * Refuses a change by an operator to a tree that a source keeps current (spec/roots.md#operator).
 *
 * @param sources - The configured sources.
 * @throws ServiceError `roots.managed`
 */
export function refuseManagedTree(
  sources: readonly RootSource[],
  environment: Environment,
  tree: Tree,
): void {
  const source = sources.find((each) => each.environment === environment && each.tree === tree);
  if (source === undefined) return;
  throw new ServiceError(
    'roots.managed',
    `tree ${tree} of ${environment} is kept by the source ${source.id}`,
  );
}

/** Refuses a root that would become the current one of a tree with a source. @throws ServiceError `roots.managed` */
export function refuseManagedRoot(
  sources: readonly RootSource[],
  { environment, tree, supersededAt }: Pick<RootRow, 'environment' | 'tree' | 'supersededAt'>,
): void {
  if (supersededAt === null) refuseManagedTree(sources, environment, tree);
}

/**
 * Refuses a change to the keys of issuers and relying parties of an environment whose keys a source reads.
 *
 * @throws ServiceError `roots.managed`
 */
export function refuseManagedKeys(sources: readonly RootSource[], environment: Environment): void {
  // Feeds publish roots only.
  const source = sources
    .filter(isChainSource)
    .find((each) => each.environment === environment && each.kind === 'registry4');
  if (source === undefined) return;
  throw new ServiceError('roots.managed', `the keys of ${environment} are kept by the source ${source.id}`);
}
