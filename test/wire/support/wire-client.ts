/** Sends one request as bytes, reads the answer as bytes, and finds out whether the connection is kept. */
import { once } from 'node:events';
import { connect } from 'node:net';

/** An answer as received over the socket. */
export interface WireAnswer {
  /** For example `HTTP/1.1 200 OK`, after an interim answer if any; empty if there was no answer. */
  readonly statusLine: string;
  /** Header lines as sent, in order. */
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** Whether the connection serves another request afterwards. */
  readonly connection: 'kept' | 'ended';
}

const HEAD_END = '\r\n\r\n';
const CONTINUE = `HTTP/1.1 100 Continue${HEAD_END}`;

/**
 * Sends a request on a new connection, then a probe, which shows whether the connection was kept.
 *
 * @param probe - Path of a document of the same listener.
 * @param endsWriting - Whether to end the writing side of the connection after the request, without a probe.
 */
export async function exchange(
  port: number,
  request: Buffer,
  probe: string,
  endsWriting = false,
): Promise<WireAnswer> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let received: Buffer = Buffer.alloc(0);
  let isEnded = false;
  let wake = (): void => {};
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  // A reset also ends the connection; `close` follows it.
  socket.on('error', () => {});
  for (const event of ['end', 'close']) {
    socket.on(event, () => {
      isEnded = true;
      wake();
    });
  }
  const more = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });
  const waitFor = async (isThere: () => boolean): Promise<boolean> => {
    while (!isThere()) {
      if (isEnded) return false;
      await more();
    }
    return true;
  };

  try {
    await once(socket, 'connect');
    if (endsWriting) socket.end(request);
    else socket.write(request);
    if (!(await waitFor(() => received.includes(HEAD_END)))) {
      if (received.length > 0)
        throw new Error(`expected a complete answer, got ${JSON.stringify(received.toString('latin1'))}`);
      return { statusLine: '', headers: [], body: received, connection: 'ended' };
    }
    let interim = '';
    if (received.toString('latin1', 0, CONTINUE.length) === CONTINUE) {
      interim = 'HTTP/1.1 100 Continue, ';
      received = received.subarray(CONTINUE.length);
      await waitFor(() => received.includes(HEAD_END));
    }
    const headEnd = received.indexOf(HEAD_END);
    const [statusLine = '', ...headers] = received.toString('latin1', 0, headEnd).split('\r\n');
    const length = bodyLength(request, statusLine, headers);
    const start = headEnd + HEAD_END.length;
    if (length === undefined) await waitFor(() => false);
    else if (!(await waitFor(() => received.length >= start + length)))
      throw new Error(`expected a body of ${length} bytes, got ${received.length - start}`);
    const body = received.subarray(start, length === undefined ? undefined : start + length);
    const answerEnd = start + body.length;
    if (!isEnded && !endsWriting) socket.write(`GET ${probe} HTTP/1.1\r\nHost: localhost:8080\r\n\r\n`);
    const isKept = await waitFor(() => received.length > answerEnd);
    if (isKept && !received.toString('latin1', answerEnd).startsWith('HTTP/1.1 ')) {
      throw new Error(
        `unexpected bytes after the answer: ${JSON.stringify(received.toString('latin1', answerEnd))}`,
      );
    }
    return { statusLine: interim + statusLine, headers, body, connection: isKept ? 'kept' : 'ended' };
  } finally {
    socket.destroy();
  }
}

/** Returns the length of the body, undefined if the end of the connection ends it. */
function bodyLength(request: Buffer, statusLine: string, headers: readonly string[]): number | undefined {
  const isBodiless = request.toString('latin1', 0, 5) === 'HEAD ' || / (?:204|304) /.test(statusLine);
  if (isBodiless) return 0;
  const declared = headers.find((line) => /^content-length:/i.test(line));
  return declared === undefined ? undefined : Number(declared.slice(declared.indexOf(':') + 1));
}
