import type { CommandContext } from './command.ts';

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
    const percent = `${Math.floor(share * 100)} %`;
    isDrawn = true;
    if (!isTerminal) {
      stderr.write(`${percent}, ${mark.what}, ${left} left\n`);
      return;
    }
    const done = Math.round(share * BAR_CHARACTERS);
    const bar = `${'#'.repeat(done)}${'.'.repeat(BAR_CHARACTERS - done)}`;
    stderr.write(`\r[${bar}] ${percent.padStart(4)}  ${left} left  ${mark.what}${CLEAR_LINE}`);
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

function isTerminalOf(stderr: CommandContext['stderr']): boolean {
  return 'isTTY' in stderr && stderr.isTTY === true;
}

/** Whole seconds as `m:ss`. */
function clock(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
