import type { RootRegistry } from '../../membership/roots/root-registry.ts';
import { isManagedSource } from '../../membership/roots/roots.ts';
import { treeKey } from '../../membership/sources/root-misses.ts';
import type { Link } from './link.ts';
import type { ConfirmedRoots, FrontEndCalls, FrontEndSetup, MainCalls } from './messages.ts';

/** The sources of roots, which the main thread queries, as a front end sees them. */
export interface RootQuestions {
  readonly lookup: Pick<RootRegistry, 'refreshOf' | 'confirmedUntil'>;
  /** Takes over later times of confirmation. */
  confirm(roots: ConfirmedRoots): void;
}

/** Creates the view of a front end. */
export function createRootQuestions(
  { askableTrees, confirmedRoots }: Pick<FrontEndSetup, 'askableTrees' | 'confirmedRoots'>,
  link: Pick<Link<FrontEndCalls, MainCalls>, 'call'>,
): RootQuestions {
  let confirmed = confirmedRoots;
  return {
    lookup: {
      refreshOf: (environment, tree) =>
        askableTrees.includes(treeKey(environment, tree))
          ? (root, statement) => link.call('findMissedRoot', { environment, tree }, root, statement)
          : undefined,
      confirmedUntil: (source) => (isManagedSource(source) ? (confirmed[source] ?? 0) : undefined),
    },
    confirm(roots) {
      confirmed = roots;
    },
  };
}
