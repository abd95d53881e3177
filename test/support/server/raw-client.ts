/** A client that sends arbitrary bytes, including those that no HTTP library would send. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** One answer as received. */
export interface RawResponse {
  readonly status: number;
  /** Every header line, names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

const HEAD_END = '\r\n\r\n';

/** One connection; answers are read one by one. */
export class RawClient {
  readonly socket: Socket;
  #chunks: Buffer[] = [];
  #length = 0;
  #wake: () => void = () => {};
  #isClosed = false;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#length += chunk.length;
      this.#wake();
    });
    // a reset is an expected end, and `close` follows it
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#isClosed = true;
      this.#wake();
    });
  }

  /** Opens a connection. */
  static async open(port: number, host = '127.0.0.1'): Promise<RawClient> {
    const socket = connect({ port, host, noDelay: true });
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  /** Writes bytes, or text as Latin-1, which can express every byte. */
  send(data: string | Uint8Array): void {
    this.socket.write(typeof data === 'string' ? Buffer.from(data, 'latin1') : data);
  }

  /** Writes bytes one by one, each in its own packet. */
  async sendSlowly(data: string): Promise<void> {
    for (const byte of Buffer.from(data, 'latin1')) {
      if (this.#isClosed) throw new Error('the connection ended before all bytes were sent');
      this.socket.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /**
   * Reads the next answer. Throws when the connection ends first. @param hasNoBody - Set for the answer to a
   * HEAD.
   */
  async response(hasNoBody = false): Promise<RawResponse> {
    const headEnd = await this.#until(() => this.#received().indexOf(HEAD_END));
    const [statusLine = '', ...lines] = this.#received().toString('latin1', 0, headEnd).split('\r\n');
    const headers = lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    });
    const status = Number(statusLine.split(' ')[1]);
    const declared = headers.find(([name]) => name === 'content-length')?.[1];
    const start = headEnd + HEAD_END.length;
    const isEmpty = hasNoBody || status === 204;
    const end = isEmpty
      ? start
      : declared === undefined
        ? await this.#untilClosed()
        : start + Number(declared);
    await this.#until(() => (this.#length >= end ? end : -1));
    const received = this.#received();
    const body = received.subarray(start, end);
    this.#chunks = [received.subarray(end)];
    this.#length -= end;
    return { status, headers, body };
  }

  /** Waits until the server ends the connection. Returns unread bytes. */
  async closed(): Promise<string> {
    await this.#untilClosed();
    return this.#received().toString('latin1');
  }

  /** Whether the server has ended the connection. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Drops the connection. */
  destroy(): void {
    this.socket.destroy();
  }

  #received(): Buffer {
    if (this.#chunks.length !== 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] ?? Buffer.alloc(0);
  }

  async #untilClosed(): Promise<number> {
    while (!this.#isClosed) await this.#more();
    return this.#length;
  }

  async #until(find: () => number): Promise<number> {
    for (;;) {
      const found = find();
      if (found >= 0) return found;
      if (this.#isClosed) {
        throw new Error(`the connection ended after ${JSON.stringify(this.#received().toString('latin1'))}`);
      }
      await this.#more();
    }
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** Sends a request over a new connection. Returns the answer. */
export async function rawRequest(port: number, request: string | Uint8Array): Promise<RawResponse> {
  const client = await RawClient.open(port);
  try {
    client.send(request);
    return await client.response(typeof request === 'string' && request.startsWith('HEAD '));
  } finally {
    client.destroy();
  }
}

/** Text of a request: its first line, `Host`, further header lines, and the unchanged body. */
export function requestText(line: string, headers: readonly string[] = [], body = ''): string {
  return [`${line} HTTP/1.1`, 'Host: localhost', ...headers, '', body].join('\r\n');
}

/** Value of a header, or undefined. Throws when the header was sent more than once. */
export function headerOf(response: RawResponse, name: string): string | undefined {
  const values = response.headers.filter(([found]) => found === name);
  if (values.length > 1) throw new Error(`${name} was sent ${values.length} times`);
  return values[0]?.[1];
}
