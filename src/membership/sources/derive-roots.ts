/** A change of the root of a tree, as stored; `at` in milliseconds since the epoch. */
export interface RootEvent {
  readonly block: number;
  readonly logIndex: number;
  /** 32 bytes as 64 lower-case hex digits. */
  readonly root: string;
  readonly at: number;
}

/** Life of a root: times in milliseconds since the epoch, null while it is the current one. */
export interface RootLife {
  readonly root: string;
  readonly receivedAt: number;
  readonly supersededAt: number | null;
}

/**
 * Derives the rows of the registry from changes in the order of the chain: a root lives from its last change to the change
 * after that. A root that was removed and came back has its later life only.
 *
 * @returns One life for each root, in the order in which they began.
 */
export function deriveRoots(events: readonly RootEvent[]): RootLife[] {
  // A change to the same root changes nothing.
  const changes = events.filter(({ root }, index) => events[index - 1]?.root !== root);
  const lives = new Map<string, RootLife>();
  for (const [index, { root, at }] of changes.entries()) {
    lives.delete(root);
    lives.set(root, { root, receivedAt: at, supersededAt: changes[index + 1]?.at ?? null });
  }
  return [...lives.values()];
}
