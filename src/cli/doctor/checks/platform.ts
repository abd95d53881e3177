import { isoTime } from '../../../text.ts';
import { type CheckResult, fail, ok, warn } from '../check.ts';

/**
 * Supported release lines of Node, and the module ABI of the binaries that the HTTP module ships for them.
 */
const ABI_OF_MAJOR: Readonly<Record<number, { readonly minor: number; readonly abi: string }>> = {
  20: { minor: 19, abi: '115' },
  22: { minor: 12, abi: '127' },
};

/** Checks the Node version and module ABI. */
export function checkNode(version: string, abi: string): CheckResult {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const line = ABI_OF_MAJOR[major];
  const detail = `Node ${version}, ABI ${abi}`;
  if (line === undefined || minor < line.minor || abi !== line.abi) {
    return fail('node', detail, 'Use Node 20 from 20.19 on, or Node 22 from 22.12 on.');
  }
  return ok('node', detail);
}

/**
 * Checks the C library; the HTTP module needs glibc.
 *
 * @param glibc - Its version, or undefined if the system has another library.
 */
export function checkLibc(platform: string, glibc: string | undefined): CheckResult {
  if (platform !== 'linux') {
    return fail('libc', `platform ${platform}`, 'Run on Linux with glibc, e.g. in a Debian container.');
  }
  if (glibc === undefined) {
    return fail(
      'libc',
      'no glibc (musl?)',
      'Use an image with glibc (Debian, Ubuntu); Alpine cannot load the HTTP module.',
    );
  }
  return ok('libc', `glibc ${glibc}`);
}

const OTHER_DESCRIPTORS = 256;

/**
 * Compares the limit of open descriptors with the number of requests that may be open at the same time.
 *
 * @param limits - Text of `/proc/self/limits`.
 */
export function checkDescriptors(limits: string, maxOpenExchanges: number): CheckResult {
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
  const needed = maxOpenExchanges + OTHER_DESCRIPTORS;
  if (soft === undefined) {
    return warn('descriptors', 'the limit cannot be read', 'Check `ulimit -n`.');
  }
  const detail = `limit ${soft}, wanted ${needed} for http.maxOpenExchanges ${maxOpenExchanges}`;
  const cure = `Raise it (\`ulimit -n ${needed}\`, LimitNOFILE of systemd), or lower http.maxOpenExchanges.`;
  if (soft === 'unlimited' || Number(soft) >= needed) {
    return ok('descriptors', detail);
  }
  return Number(soft) < OTHER_DESCRIPTORS
    ? fail('descriptors', detail, cure)
    : warn('descriptors', detail, cure);
}

/**
 * Returns the number of processors that a container's quota allows, or undefined without one.
 *
 * @param cpuMax - Text of cgroup v2 `cpu.max`: quota and period in microseconds, or `max`.
 */
export function quotaOf(cpuMax: string | undefined): number | undefined {
  const [quota, period] = (cpuMax ?? '').trim().split(/\s+/).map(Number);
  return quota && period ? quota / period : undefined;
}

/** Compares the number of workers with the processors that this process may use. */
export function checkWorkers(workers: number, parallelism: number, quota: number | undefined): CheckResult {
  const available = Math.min(parallelism, quota ?? parallelism);
  const from =
    quota === undefined ? `${parallelism} processors` : `${parallelism} processors, CPU quota ${quota}`;
  const detail = `engine.workers ${workers}, ${from}`;
  const fitting = Math.max(1, Math.floor(available) - 1);
  if (workers === 0) {
    return warn(
      'workers',
      detail,
      `Set engine.workers to ${fitting}: 0 runs the engine in the main thread, for debugging.`,
    );
  }
  if (workers > Math.max(1, Math.ceil(available))) {
    return warn(
      'workers',
      detail,
      `Set engine.workers to ${fitting}: more threads than processors wait for each other.`,
    );
  }
  return ok('workers', detail);
}

const MEBIBYTE = 1_048_576;
const DISK_FAIL_MEBIBYTES = 64;
const DISK_WARN_MEBIBYTES = 1024;

/** Checks the free space of the disk with the data folder. */
export function checkDisk(freeBytes: number, folder: string): CheckResult {
  const mebibytes = Math.floor(freeBytes / MEBIBYTE);
  const detail = `${mebibytes} MiB free for ${folder}`;
  const cure = 'Free space, or move dataDir and storage.url to a larger disk.';
  if (mebibytes < DISK_FAIL_MEBIBYTES) {
    return fail('disk', detail, cure);
  }
  return mebibytes < DISK_WARN_MEBIBYTES ? warn('disk', detail, cure) : ok('disk', detail);
}

// Before the first commit of this repository: an earlier time means that the clock was never set.
const EARLIEST = Date.UTC(2025, 0, 1);
const TOLERANCE_MS = 60_000;

/**
 * Compares the clock with the newest record of the store, which another machine or an earlier boot may have
 * written.
 *
 * @param newestRecord - Milliseconds since the epoch; undefined if the store is empty or cannot be read.
 */
export function checkClock(now: number, newestRecord: number | undefined): CheckResult {
  const detail = isoTime(now);
  const cure = 'Set the clock and run a time service (systemd-timesyncd, chrony).';
  if (now < EARLIEST) {
    return fail('clock', detail, cure);
  }
  if (newestRecord !== undefined && newestRecord > now + TOLERANCE_MS) {
    const seconds = Math.round((newestRecord - now) / 1000);
    return warn('clock', `${detail}, but the store has a record from ${seconds} s ahead`, cure);
  }
  return ok('clock', detail);
}
