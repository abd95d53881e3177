import { fileURLToPath } from 'node:url';

/** One changed text in one file below `src`, as the bundle has it. */
export interface PlantedFault {
  readonly file: string;
  readonly text: string;
  readonly replacement: string;
}

/** Returns the environment of a node with a planted fault. */
export function plantedEnv(fault: PlantedFault): Record<string, string> {
  const preload = fileURLToPath(new URL('plant.mjs', import.meta.url));
  return { NODE_OPTIONS: `--import=${preload}`, PLANTED_FAULT: JSON.stringify(fault) };
}

/** Answers that a nullifier is new, and commits it afterwards. */
export const ANSWER_BEFORE_COMMIT: PlantedFault = {
  file: 'storage/nullifiers/group-commit.ts',
  text: 'const results = await this.#commit(group.map((waiter) => waiter.row));',
  replacement: `const results = group.map(({ row }) => ({ isNew: true, createdAt: row.createdAt }));
    void this.#commit(group.map((waiter) => waiter.row)).catch(() => undefined);`,
};

/** Takes a commit for done although its wait for the standby was cancelled. */
export const CANCELLED_COMMIT: PlantedFault = {
  file: 'storage/drivers/postgres/postgres-transaction.ts',
  text: 'if (isWaitCancelled)',
  replacement: 'if (false)',
};

/** Each node decides by its own memory whether a nullifier is new. */
export const UNIQUENESS_IN_MEMORY: PlantedFault = {
  file: 'storage/nullifiers/nullifier-store.ts',
  text: 'isNew: winner === row && stored.rowId === row.rowId,',
  replacement: `isNew:
    !(globalThis.seenHere ??= new Set()).has(keyOf(row)) && globalThis.seenHere.add(keyOf(row)) !== undefined,`,
};

/** Takes a nullifier for reused if it finds the row that a commit without an answer has left. */
export const UNCLEAR_IS_REUSE: PlantedFault = {
  file: 'storage/nullifiers/nullifier-store.ts',
  text: 'isNew: winner === row && stored.rowId === row.rowId,',
  replacement: 'isNew: false,',
};

/** Takes an unreachable store for an internal error. */
export const INTERNAL_ERROR: PlantedFault = {
  file: 'verification/run/verify-request.ts',
  text: 'isServiceError(cause, "store.unreachable")',
  replacement: 'false',
};

/** Opens no session but the first. */
export const NO_RECONNECT: PlantedFault = {
  file: 'storage/drivers/postgres/postgres-pool.ts',
  text: 'if (this.#isOpening)',
  replacement: '',
};

/** Stops at once, with requests open and the balancer unaware. */
export const NO_DRAIN: PlantedFault = {
  file: 'app/parts/health.ts',
  text: 'drain: () => health.setDraining(),',
  replacement: 'drain: () => process.exit(0),',
};

/** Waits for the server without end. */
export const NO_TIME_LIMIT: PlantedFault = {
  file: 'storage/drivers/postgres/postgres-session.ts',
  text: '}, limitMs);',
  replacement: '}, 2 ** 30);',
};
