import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

/** Division of the file descriptors of the process. */
export interface DescriptorBudget {
  /** Connections that may be open. */
  readonly connections: number;
  /** Descriptors kept for store, workers, files and the admin listener. */
  readonly reserve: number;
}

const RESERVED_PART = 1 / 8;
const MIN_RESERVE = 32;
const MAX_RESERVE = 1024;
/**
 * Floor of the budget: if the process limit leaves fewer, the service still runs and may run out of
 * descriptors.
 */
const MIN_CONNECTIONS = 16;
const UNLIMITED: DescriptorBudget = { connections: Number.POSITIVE_INFINITY, reserve: MAX_RESERVE };

/** Reads the budget of this process; unlimited on systems that do not report a limit. */
export function readDescriptorBudget(): DescriptorBudget {
  try {
    const limit = softLimitOf(readFileSync('/proc/self/limits', 'utf8'));
    return limit === undefined ? UNLIMITED : descriptorBudget(limit, readdirSync('/proc/self/fd').length);
  } catch {
    return UNLIMITED;
  }
}

/** Computes the budget from the process limit and the descriptors in use before the first connection. */
export function descriptorBudget(limit: number, used: number): DescriptorBudget {
  const reserve = Math.min(MAX_RESERVE, Math.max(MIN_RESERVE, Math.floor(limit * RESERVED_PART)));
  return { connections: Math.max(MIN_CONNECTIONS, limit - used - reserve), reserve };
}

function softLimitOf(limits: string): number | undefined {
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? undefined : Number(soft);
}

/** Whether `count` descriptors can be opened now, within the limits of the process and of the system. */
export function hasDescriptors(count: number): boolean {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync('/dev/null', 'r'));
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code !== 'EMFILE' && code !== 'ENFILE';
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}
