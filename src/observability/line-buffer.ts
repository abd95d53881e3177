import type { DestinationStream } from 'pino';

/** Above this size the lines are written at once, whatever the event loop is doing. */
const MAX_HELD_CHARACTERS = 65_536;

/**
 * Lines on their way to a synchronous destination. Those of finished requests are written together once in a turn of
 * the event loop, since each write is a call of the kernel; any other line is written at once, after those before it.
 * What is held when the process ends by itself, or by an error, is written then.
 */
export class LineBuffer {
  readonly #destination: DestinationStream;
  #held = '';
  #isScheduled = false;
  readonly #flushInTurn = (): void => {
    this.#isScheduled = false;
    this.flush();
  };

  constructor(destination: DestinationStream) {
    this.#destination = destination;
    process.on('exit', () => this.flush());
  }

  /** Writes a line at once. */
  write(line: string): void {
    this.flush();
    this.#destination.write(line);
  }

  /** Writes a line before the next turn of the event loop. */
  writeSoon(line: string): void {
    this.#held += line;
    if (this.#held.length > MAX_HELD_CHARACTERS) this.flush();
    else if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(this.#flushInTurn);
    }
  }

  /** Writes what is held. */
  flush(): void {
    if (this.#held === '') return;
    const lines = this.#held;
    this.#held = '';
    this.#destination.write(lines);
  }
}
