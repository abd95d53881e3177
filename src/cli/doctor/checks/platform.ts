import { isoTime } from '../../../text.ts';
import { type CheckResult, fail, ok, warn } from '../check.ts';

/** Module ABI of the Node lines that the HTTP module carries binaries for and that we support. */
const ABI_OF_MAJOR: Readonly<Record<number, { readonly minor: number; readonly abi: string }>> = {
  20: { minor: 19, abi: '115' },
  22: { minor: 12, abi: '127' },
};

/** Node version and module ABI. */
export function checkNode(version: string, abi: string): CheckResult {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const line = ABI_OF_MAJOR[major];
  const detail = `Node ${version}, ABI ${abi}`;
  if (line === undefined || minor < line.minor || abi !== line.abi) {
    return fail('node', detail, 'Use Node 20.19 or later of 20, or 22.12 or later of 22.');
  }
  return ok('node', detail);
}

/**
 * The C library; the HTTP module needs glibc.
 *
 * @param glibc - Its version, or undefined where the system has another library.
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

const DESCRIPTORS_BESIDE_EXCHANGES = 256;

/**
 * The limit of open descriptors against the requests that may be open at once.
 *
 * @param limits - Text of `/proc/self/limits`.
 */
export function checkDescriptors(limits: string, maxOpenExchanges: number): CheckResult {
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
  const needed = maxOpenExchanges + DESCRIPTORS_BESIDE_EXCHANGES;
  if (soft === undefined) {
    return warn('descriptors', 'the limit cannot be read', 'Look at `ulimit -n`.');
  }
  const detail = `limit ${soft}, wanted ${needed} for http.maxOpenExchanges ${maxOpenExchanges}`;
  const cure = `Raise it (\`ulimit -n ${needed}\`, LimitNOFILE of systemd), or lower http.maxOpenExchanges.`;
  if (soft === 'unlimited' || Number(soft) >= needed) {
    return ok('descriptors', detail);
  }
  return Number(soft) < DESCRIPTORS_BESIDE_EXCHANGES
    ? fail('descriptors', detail, cure)
    : warn('descriptors', detail, cure);
}

/**
 * Processors that a container's quota allows, or undefined without one.
 *
 * @param cpuMax - Text of cgroup v2 `cpu.max`: quota and period in microseconds, or `max`.
 */
export function quotaOf(cpuMax: string | undefined): number | undefined {
  const [quota, period] = (cpuMax ?? '').trim().split(/\s+/).map(Number);
  return quota && period ? quota / period : undefined;
}

/** Worker count against the processors that this process may use. */
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

/** Free space of the disk that holds the data folder. */
export function checkDisk(freeBytes: number, folder: string): CheckResult {
  const mebibytes = Math.floor(freeBytes / MEBIBYTE);
  const detail = `${mebibytes} MiB free for ${folder}`;
  const cure = 'Free space, or move dataDir and storage.url to a larger disk.';
  if (mebibytes < DISK_FAIL_MEBIBYTES) {
    return fail('disk', detail, cure);
  }
  return mebibytes < DISK_WARN_MEBIBYTES ? warn('disk', detail, cure) : ok('disk', detail);
}

// The first commit of this repository is younger, so that an earlier time is a clock that was never set.
const EARLIEST = Date.UTC(2025, 0, 1);
const TOLERANCE_MS = 60_000;

/**
 * The clock against the newest record of the store, which another machine or an earlier boot may have written.
 *
 * @param newestRecord - Milliseconds since the epoch; undefined where the store is empty or closed.
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
