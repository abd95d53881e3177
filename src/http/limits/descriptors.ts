import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

/** Descriptors of the process, as far as connections may use them up. */
export interface DescriptorBudget {
  /** Connections that leave a reserve for store, workers, files and the admin listener. */
  readonly connections: number;
  readonly reserve: number;
}

const RESERVED_PART = 1 / 8;
const MIN_RESERVE = 32;
const MAX_RESERVE = 1024;
/** With a limit that leaves less than these, the service runs all the same and may run out. */
const MIN_CONNECTIONS = 16;
const UNLIMITED: DescriptorBudget = { connections: Number.POSITIVE_INFINITY, reserve: MAX_RESERVE };

/** What the limit of this process leaves for connections; no bound where the system does not tell. */
export function readDescriptorBudget(): DescriptorBudget {
  try {
    const limit = softLimitOf(readFileSync('/proc/self/limits', 'utf8'));
    return limit === undefined ? UNLIMITED : descriptorBudget(limit, readdirSync('/proc/self/fd').length);
  } catch {
    return UNLIMITED;
  }
}

/** What a limit leaves for connections when so many descriptors are in use before the first one. */
export function descriptorBudget(limit: number, used: number): DescriptorBudget {
  const reserve = Math.min(MAX_RESERVE, Math.max(MIN_RESERVE, Math.floor(limit * RESERVED_PART)));
  return { connections: Math.max(MIN_CONNECTIONS, limit - used - reserve), reserve };
}

function softLimitOf(limits: string): number | undefined {
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? undefined : Number(soft);
}

/** Whether so many descriptors can be opened now; the limit of the process and that of the system count. */
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
