import type { CircuitMaker } from '../../development/circuit-maker.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { RootRegistry } from '../../membership/roots/root-registry.ts';
import { ENVIRONMENTS, TREES } from '../../membership/roots/trees.ts';
import { treeKey } from '../../membership/sources/root-misses.ts';
import type { Log } from '../../observability/log/log.ts';
import type { Store } from '../../storage/store.ts';
import type { ServiceCalls } from './front-end.ts';

/** What the main thread has once, for all front ends. */
export interface CallsParts {
  readonly store: Pick<Store, 'attach'>;
  readonly roots: Pick<RootRegistry, 'refreshOf'>;
  readonly circuit: Pick<CircuitMaker, 'state'> | undefined;
  readonly log: Pick<Log, 'writeLines'>;
}

/** Returns the answers of the main thread to its front ends. */
export function frontEndCalls({
  store,
  roots,
  circuit,
  log,
}: CallsParts): Omit<ServiceCalls, 'connectionsReached'> {
  return {
    attachStore: (role, port) => store.attach?.(role, port),
    async findMissedRoot({ environment, tree }, root, statement) {
      return await roots.refreshOf?.(environment, tree)?.(root, statement);
    },
    async circuit() {
      if (circuit === undefined) throw new ServiceError('http.not_found');
      return await circuit.state();
    },
    log: (lines) => log.writeLines(lines),
  };
}

/** Returns the trees whose sources are asked for a root that is not in the store, as `treeKey` names them. */
export function askableTrees({ refreshOf }: Pick<RootRegistry, 'refreshOf'>): string[] {
  return ENVIRONMENTS.flatMap((environment) =>
    TREES.filter((tree) => refreshOf?.(environment, tree) !== undefined).map((tree) =>
      treeKey(environment, tree),
    ),
  );
}
