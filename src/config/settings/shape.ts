import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import type { SettingValue } from './setting.ts';

/** Threads of a service on one machine. */
export interface Shape {
  readonly frontEnds: number;
  /** Worker threads of the engine, of all front ends together. */
  readonly workers: number;
}

/** Largest number of front ends. */
export const MAX_FRONT_ENDS = 64;

/** Returns the shape of `server.frontEnds` = `auto`: a worker for each front end (docs/scaling.md#one-machine). */
export function shapeOf(processors: number): Shape {
  const frontEnds = Math.min(MAX_FRONT_ENDS, Math.max(1, Math.floor(processors / 2)));
  return { frontEnds, workers: workersBeside(frontEnds, processors) };
}

/** Returns the number of front ends that the value of `server.frontEnds` means on a machine. */
export function frontEndsOf(value: SettingValue | undefined, processors: number): number {
  return value === 'auto' ? shapeOf(processors).frontEnds : Number(value ?? 1);
}

/** Returns the number of workers beside front ends: a processor is left to each of them, with several one to the database thread. */
export function workersBeside(frontEnds: number, processors: number): number {
  const left = frontEnds === 1 ? processors - 1 : processors - frontEnds - 1;
  return Math.max(frontEnds, left);
}

/** Returns the number of processors that this process may use: by its affinity mask and the CPU quota of its control groups. */
export function processors(): number {
  return Math.max(1, Math.floor(Math.min(availableParallelism(), cpuQuota() ?? Number.POSITIVE_INFINITY)));
}

/** Returns the text of a file, or undefined if it cannot be read. */
type ReadText = (path: string) => string | undefined;

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Reads the quota of one control group in processors; undefined without one. */
type ReadQuota = (folder: string, read: ReadText) => number | undefined;

function quotaOf(quota: string | undefined, period: string | undefined): number | undefined {
  const processors = Number(quota) / Number(period);
  return processors > 0 ? processors : undefined;
}

const readQuota2: ReadQuota = (folder, read) => {
  const [quota, period] = (read(join(folder, 'cpu.max')) ?? '').trim().split(' ');
  return quotaOf(quota, period);
};

const readQuota1: ReadQuota = (folder, read) =>
  quotaOf(read(join(folder, 'cpu.cfs_quota_us')), read(join(folder, 'cpu.cfs_period_us')));

/**
 * Returns the smallest CPU quota of the control groups of this process and of those above them, in processors; undefined
 * without one (cgroup v1 and v2).
 */
export function cpuQuota(read: ReadText = readText): number | undefined {
  const groups = (read('/proc/self/cgroup') ?? '').split('\n');
  const mounts = (read('/proc/self/mountinfo') ?? '').split('\n');
  const quotas = mounts.flatMap((mount) => {
    const [before = '', after = ''] = mount.split(' - ');
    const [, , , root = '/', point = '/'] = before.split(' ');
    const [type, , options = ''] = after.split(' ');
    const isV1 = type === 'cgroup' && options.split(',').includes('cpu');
    if (!isV1 && type !== 'cgroup2') return [];
    const isHere = ([id, controllers = '']: readonly string[]): boolean =>
      isV1 ? controllers.split(',').includes('cpu') : id === '0' && controllers === '';
    const path = groups
      .map((line) => line.split(':'))
      .find(isHere)
      ?.slice(2)
      .join(':');
    const readQuota = isV1 ? readQuota1 : readQuota2;
    return path === undefined ? [] : foldersOf(root, point, path).map((folder) => readQuota(folder, read));
  });
  const found = quotas.filter((quota) => quota !== undefined);
  return found.length === 0 ? undefined : Math.min(...found);
}

/**
 * Returns the folders of a control group and of those above it.
 *
 * @param root - Group that is mounted at `point`: a container may see its own group there.
 * @param path - The group of this process.
 */
function foldersOf(root: string, point: string, path: string): string[] {
  const below = relative(root, path);
  const words = below === '' || below.startsWith('..') ? [] : below.split('/');
  return [...Array(words.length + 1).keys()].map((depth) => join(point, ...words.slice(0, depth)));
}
