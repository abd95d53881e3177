import type { CommandContext } from '../program/command.ts';

const INTERVAL_MS = 1000;
const BAR_CHARACTERS = 24;
const CLEAR_LINE = '\u001b[K';

type ProgressOutput = Pick<CommandContext, 'stderr' | 'now'>;

/** Milestone of a task, in seconds of a measured run; only their ratios matter. */
export interface ProgressMark {
  readonly seconds: number;
  /** Upper bound of the estimated position until the next mark is reached. */
  readonly nextSeconds: number;
  /** Description of the work. */
  readonly what: string;
}

/** Progress of a task of known length. */
export interface TaskProgress {
  /** Reports that the task has reached a mark. */
  reach(mark: ProgressMark): void;
  /** Ends the output, whether the task succeeded or not. */
  end(): void;
}

/** Progress of a task that reads a file. */
export interface FileProgress {
  /** Reports how many items and bytes are done. */
  reach(count: number, bytes: number): void;
  /** Writes a line to stderr and clears the bar before it. */
  note(line: string): void;
  /** Ends the output, whether the task succeeded or not. */
  end(): void;
}

/**
 * Yields the items and writes their number and rate to stderr once a second. On a terminal the line
 * overwrites itself. A task that ends within a second writes nothing.
 */
export async function* countingProgress<T>(
  items: AsyncIterable<T>,
  what: string,
  { stderr, now }: ProgressOutput,
): AsyncGenerator<T> {
  const isTerminal = isTerminalOf(stderr);
  const start = now();
  let last = start;
  let count = 0;
  for await (const item of items) {
    yield item;
    count += 1;
    const time = now();
    if (time - last >= INTERVAL_MS) {
      last = time;
      const line = `${count} ${what}, ${Math.round((count * 1000) / (time - start))}/s`;
      stderr.write(isTerminal ? `\r${line}${CLEAR_LINE}` : `${line}\n`);
    }
  }
  if (isTerminal && last > start) {
    stderr.write('\n');
  }
}

/**
 * Writes the position of a task and its estimated remaining time to stderr once a second: a bar that
 * overwrites itself on a terminal, a line elsewhere. Between two marks the task is assumed to keep its
 * average speed.
 *
 * @param totalSeconds - Length of the measured run.
 */
export function taskProgress(totalSeconds: number, { stderr, now }: ProgressOutput): TaskProgress {
  const isTerminal = isTerminalOf(stderr);
  const start = now();
  let mark: ProgressMark = { seconds: 0, nextSeconds: 0, what: '' };
  let markTime = start;
  let isDrawn = false;
  const draw = (): void => {
    const elapsedSeconds = (markTime - start) / 1000;
    const speed = mark.seconds > 0 && elapsedSeconds > 0 ? mark.seconds / elapsedSeconds : 1;
    const at = Math.min(mark.seconds + ((now() - markTime) / 1000) * speed, mark.nextSeconds);
    const share = Math.min(at / totalSeconds, 0.99);
    const left = clock((totalSeconds - at) / speed);
    const percent = percentOf(share);
    isDrawn = true;
    stderr.write(
      isTerminal
        ? `\r${barOf(share)} ${percent.padStart(4)}  ${left} left  ${mark.what}${CLEAR_LINE}`
        : `${percent}, ${mark.what}, ${left} left\n`,
    );
  };
  const timer = setInterval(draw, INTERVAL_MS);
  return {
    reach(reached) {
      mark = reached;
      markTime = now();
    },
    end() {
      clearInterval(timer);
      if (isTerminal && isDrawn) stderr.write(`\r${CLEAR_LINE}`);
    },
  };
}

/**
 * Writes to stderr once a second how many items of a file are done, their rate, the share of the file, and
 * the estimated remaining time: a bar that overwrites itself on a terminal, a line elsewhere. A task that
 * ends within a second writes nothing.
 *
 * @param totalBytes - Size of the file; without it, share and remaining time are not shown.
 */
export function fileProgress(
  what: string,
  totalBytes: number | undefined,
  { stderr, now }: ProgressOutput,
): FileProgress {
  const isTerminal = isTerminalOf(stderr);
  const start = now();
  let count = 0;
  let bytes = 0;
  let isDrawn = false;
  const draw = (): void => {
    const elapsedMs = Math.max(now() - start, 1);
    const counted = `${count} ${what}, ${Math.round((count * 1000) / elapsedMs)}/s`;
    isDrawn = true;
    if (totalBytes === undefined) {
      stderr.write(isTerminal ? `\r${counted}${CLEAR_LINE}` : `${counted}\n`);
      return;
    }
    const share = totalBytes === 0 ? 0 : Math.min(bytes / totalBytes, 0.99);
    const percent = percentOf(share);
    const left =
      bytes === 0 ? '' : `${clock((Math.max(totalBytes - bytes, 0) / bytes) * (elapsedMs / 1000))} left`;
    stderr.write(
      isTerminal
        ? `\r${barOf(share)} ${percent.padStart(4)}  ${left}  ${counted}${CLEAR_LINE}`
        : `${[counted, percent, left].filter((part) => part !== '').join(', ')}\n`,
    );
  };
  const timer = setInterval(draw, INTERVAL_MS);
  return {
    reach(reachedCount, reachedBytes) {
      count = reachedCount;
      bytes = reachedBytes;
    },
    note(line) {
      stderr.write(`${isTerminal && isDrawn ? `\r${CLEAR_LINE}` : ''}${line}\n`);
    },
    end() {
      clearInterval(timer);
      if (isTerminal && isDrawn) stderr.write(`\r${CLEAR_LINE}`);
    },
  };
}

/** Draws a share from 0 to 1. */
function barOf(share: number): string {
  const done = Math.round(share * BAR_CHARACTERS);
  return `[${'#'.repeat(done)}${'.'.repeat(BAR_CHARACTERS - done)}]`;
}

/** Formats a share from 0 to 1, rounded down. */
function percentOf(share: number): string {
  return `${Math.floor(share * 100)} %`;
}

function isTerminalOf(stderr: CommandContext['stderr']): boolean {
  return 'isTTY' in stderr && stderr.isTTY === true;
}

/** Formats seconds as `m:ss`. */
function clock(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Calls a listener on the first SIGINT or SIGTERM; a second signal of either kind ends the process
 * immediately.
 *
 * @returns A function that removes the listener.
 */
export function onSignals(listener: () => void): () => void {
  const remove = (): void => {
    for (const name of SIGNALS) process.removeListener(name, onFirst);
  };
  const onFirst = (): void => {
    remove();
    listener();
  };
  for (const name of SIGNALS) process.on(name, onFirst);
  return remove;
}
