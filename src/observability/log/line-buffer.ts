import type { DestinationStream } from 'pino';

/** Above this size the buffered lines are written immediately. */
const MAX_BUFFERED_CHARACTERS = 16_384;
const MAX_DELAY_MS = 10;

/**
 * Buffers lines for a synchronous destination. Lines of finished requests are buffered for some milliseconds and written
 * together, since each write is a system call; any other line is written immediately, after the lines before it. On exit
 * of the process, except by a signal that kills it, the buffered lines are written.
 */
export class LineBuffer {
  readonly #destination: DestinationStream;
  #buffered = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(destination: DestinationStream) {
    this.#destination = destination;
    process.on('exit', () => this.flush());
  }

  /** Writes a line immediately. */
  write(line: string): void {
    this.flush();
    this.#destination.write(line);
  }

  /** Writes a line within `MAX_DELAY_MS`. */
  writeSoon(line: string): void {
    this.#buffered += line;
    if (this.#buffered.length > MAX_BUFFERED_CHARACTERS) this.flush();
    else this.#timer ??= setTimeout(() => this.#fire(), MAX_DELAY_MS);
  }

  /** Writes the buffered lines. */
  flush(): void {
    if (this.#buffered === '') return;
    const lines = this.#buffered;
    this.#buffered = '';
    this.#destination.write(lines);
  }

  #fire(): void {
    this.#timer = undefined;
    this.flush();
  }
}
