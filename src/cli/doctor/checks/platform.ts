import { type Shape, shapeOf, workersBeside } from '../../../config/settings/shape.ts';
import { isoTime } from '../../../text.ts';
import { type CheckResult, fail, ok, warn } from '../check.ts';

/**
 * Compares the version of Node with the releases that the tests have run on.
 *
 * @param tried - See `TRIED_NODES`.
 */
export function checkNode(version: string, tried: string): CheckResult {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const releases = tried.split(' || ').map((range) => range.slice(1).split('.').map(Number));
  const oldest = releases.find(([release]) => release === major);
  const detail = `Node ${version}, the tests have run on ${tried}`;
  if (oldest !== undefined && minor >= (oldest[1] ?? 0)) return ok('node', detail);
  const check = oldest !== undefined || major < 22 ? fail : warn;
  return check('node', detail, 'Use the newest LTS release of Node that the tests have run on.');
}

/**
 * Compares the platform with those that the tests have run on.
 *
 * @param glibc - Its version, or undefined if the system has another C library.
 */
export function checkPlatform(platform: string, arch: string, glibc: string | undefined): CheckResult {
  const library = glibc === undefined ? 'without glibc' : `with glibc ${glibc}`;
  const detail = platform === 'linux' ? `linux ${arch} ${library}` : `${platform} ${arch}`;
  return platform === 'linux' && glibc !== undefined && ['x64', 'arm64'].includes(arch)
    ? ok('platform', detail)
    : warn(
        'platform',
        `${detail}: no test has run on it`,
        'Prefer Linux with glibc (Debian, Ubuntu) in production.',
      );
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

/** What `checkShape` compares. */
export interface ShapeFacts {
  /** Front ends and workers in force. */
  readonly shape: Shape;
  /** Processors that this process may use. */
  readonly processors: number;
  /** CPU quota of the control groups in processors; undefined without one. */
  readonly quota: number | undefined;
}

const shown = ({ frontEnds, workers }: Shape): string =>
  `server.frontEnds ${frontEnds} × engine.workers ${workers}`;

/** Compares the numbers of front ends and workers with the processors that this process may use. */
export function checkShape({ shape, processors, quota }: ShapeFacts): CheckResult {
  const { frontEnds, workers } = shape;
  const from = `${processors} processors${quota === undefined ? '' : ` (CPU quota ${quota})`}`;
  const detail = `${from} → ${shown(shapeOf(processors))} by rule, in force ${shown(shape)}; \`proofgate bench --shape\` measures`;
  const fitting = workersBeside(frontEnds, processors);
  if (workers === 0) {
    const cure = `Set engine.workers to ${fitting}: 0 runs the engine in the main thread, for debugging.`;
    return warn('shape', detail, cure);
  }
  // With one front end, one worker may share the processor of the main thread, which it gives way to.
  if (workers > fitting + 1) {
    const cure = `Set engine.workers to ${fitting}: more threads than processors wait for each other.`;
    return warn('shape', detail, cure);
  }
  if (frontEnds > Math.max(1, Math.floor(processors / 2))) {
    const cure = `Set server.frontEnds to ${shapeOf(processors).frontEnds} or auto: more threads than processors wait for each other.`;
    return warn('shape', detail, cure);
  }
  return ok('shape', detail);
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
