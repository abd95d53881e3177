import type { CommandContext } from '../program/command.ts';

const INTERVAL_MS = 1000;
const BAR_CHARACTERS = 24;
const CLEAR_LINE = '\u001b[K';

type ProgressOutput = Pick<CommandContext, 'stderr' | 'now'>;

/** A place on the way of a task, in seconds of a measured run; only their ratios matter. */
export interface ProgressMark {
  readonly seconds: number;
  /** The task is taken to be before this until the next mark is reached. */
  readonly nextSeconds: number;
  /** What is being done. */
  readonly what: string;
}

/** The progress of a task of known length. */
export interface TaskProgress {
  /** The task has come this far. */
  reach(mark: ProgressMark): void;
  /** The task is over, well or not; nothing is written after it. */
  end(): void;
}

/** The progress of a task that goes through a file. */
export interface FileProgress {
  /** So many items and bytes are done. */
  reach(count: number, bytes: number): void;
  /** Writes a line to stderr that the bar does not run into. */
  note(line: string): void;
  /** The task is over, well or not; nothing is written after it. */
  end(): void;
}

/**
 * Passes items on and writes once a second to stderr how many there were and how many a second. On a terminal the
 * line is written over itself. A task that ends within a second writes nothing.
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
 * Writes to stderr once a second how far a task is and how long it will still take: a bar that is written over
 * itself on a terminal, a line elsewhere. Between two marks the task is taken to go on at its speed so far.
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
 * Writes to stderr once a second how many items of a file are done, how many a second, which share of the file that
 * is and how long the rest will take: a bar that is written over itself on a terminal, a line elsewhere. A task that
 * ends within a second writes nothing.
 *
 * @param totalBytes - Size of the file; without it there is neither share nor remaining time.
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

/** Share from 0 to 1. */
function barOf(share: number): string {
  const done = Math.round(share * BAR_CHARACTERS);
  return `[${'#'.repeat(done)}${'.'.repeat(BAR_CHARACTERS - done)}]`;
}

/** Share from 0 to 1, rounded down. */
function percentOf(share: number): string {
  return `${Math.floor(share * 100)} %`;
}

function isTerminalOf(stderr: CommandContext['stderr']): boolean {
  return 'isTTY' in stderr && stderr.isTTY === true;
}

/** Whole seconds as `m:ss`. */
function clock(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Calls a listener at the first signal to end; a second one ends the process at once.
 *
 * @returns Removes the listener.
 */
export function onSignals(listener: () => void): () => void {
  for (const name of SIGNALS) process.once(name, listener);
  return () => {
    for (const name of SIGNALS) process.removeListener(name, listener);
  };
}
