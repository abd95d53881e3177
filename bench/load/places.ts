import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Cores on which server, engine and client run; `cores` is the name of the place in the cases. */
export interface Place {
  readonly cores: string;
  readonly workers: number;
  readonly server?: string;
  readonly client?: string;
}

/** Returns the places: all cores shared with the client and, if possible, one core each. */
export function places(): Place[] {
  const cores = availableParallelism();
  const everywhere = { cores: 'all', workers: Math.max(1, cores - 1) };
  const canPin = spawnSync('taskset', ['-c', '0,1', 'true']).status === 0;
  return cores < 2 || !canPin
    ? [everywhere]
    : [everywhere, { cores: '1', workers: 1, server: '0', client: '1' }];
}
