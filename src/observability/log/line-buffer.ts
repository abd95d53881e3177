import type { DestinationStream } from 'pino';

/** Above this size the lines are written at once. */
const MAX_HELD_CHARACTERS = 16_384;
const MAX_HELD_MS = 10;

/**
 * Lines on their way to a synchronous destination. Those of finished requests are held for some milliseconds and
 * written together, since each write is a call of the kernel; any other line is written at once, after those before it.
 * What is held when the process ends by itself, or by an error, is written then.
 */
export class LineBuffer {
  readonly #destination: DestinationStream;
  #held = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(destination: DestinationStream) {
    this.#destination = destination;
    process.on('exit', () => this.flush());
  }

  /** Writes a line at once. */
  write(line: string): void {
    this.flush();
    this.#destination.write(line);
  }

  /** Writes a line within `MAX_HELD_MS`. */
  writeSoon(line: string): void {
    this.#held += line;
    if (this.#held.length > MAX_HELD_CHARACTERS) this.flush();
    else this.#timer ??= setTimeout(() => this.#fire(), MAX_HELD_MS);
  }

  /** Writes what is held. */
  flush(): void {
    if (this.#held === '') return;
    const lines = this.#held;
    this.#held = '';
    this.#destination.write(lines);
  }

  #fire(): void {
    this.#timer = undefined;
    this.flush();
  }
}
