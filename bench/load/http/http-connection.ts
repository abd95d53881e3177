import { connect, type Socket } from 'node:net';

/** The parts of an answer that a load client needs. */
export interface Answer {
  readonly status: number;
  /** Status line and header lines, without the empty line after them. */
  readonly head: string;
  readonly body: string;
}

/** A keep-alive connection that carries one request at a time. */
export interface HttpConnection {
  /** @param request - The complete request, head and body, in one or several pieces. */
  send(request: Uint8Array | readonly Uint8Array[]): Promise<Answer>;
  close(): void;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** Returns the values of a header of an answer, in order. */
export function headerValues({ head }: Pick<Answer, 'head'>, name: string): string[] {
  const start = `${name.toLowerCase()}:`;
  return head
    .split('\r\n')
    .filter((line) => line.toLowerCase().startsWith(start))
    .map((line) => line.slice(start.length).trim());
}

/** Parses a complete answer at the start of `bytes`; undefined while it is incomplete. */
export function readAnswer(bytes: Buffer): { answer: Answer; length: number } | undefined {
  const headLength = bytes.indexOf(HEAD_END);
  if (headLength < 0) return undefined;
  const head = bytes.toString('latin1', 0, headLength);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error('the answer has no Content-Length');
  const end = headLength + HEAD_END.length + Number(length);
  if (bytes.length < end) return undefined;
  const body = bytes.toString('utf8', headLength + HEAD_END.length, end);
  return { answer: { status: Number(head.slice(9, 12)), head, body }, length: end };
}

/** Writes the pieces without joining them, so that pieces shared by requests are not copied. */
function writeTogether(socket: Socket, pieces: readonly Uint8Array[]): void {
  socket.cork();
  for (const piece of pieces) socket.write(piece);
  socket.uncork();
}

/**
 * Opens a connection; requests fail if it ends.
 *
 * @param from - Local address; the server takes each address of the loopback net as another client.
 */
export function openConnection(host: string, port: number, from?: string): Promise<HttpConnection> {
  return new Promise((opened, failed) => {
    const place = from === undefined ? { host, port } : { host, port, localAddress: from };
    const socket: Socket = connect({ ...place, noDelay: true });
    let kept: Buffer = Buffer.alloc(0);
    let waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined;
    const fail = (error: Error): void => {
      failed(error);
      waiting?.reject(error);
      waiting = undefined;
    };
    socket.on('error', fail);
    socket.on('close', () => fail(new Error('the server closed the connection')));
    socket.on('data', (chunk: Buffer) => {
      kept = kept.length === 0 ? chunk : Buffer.concat([kept, chunk]);
      const read = readAnswer(kept);
      if (!read) return;
      kept = kept.subarray(read.length);
      waiting?.resolve(read.answer);
    });
    socket.on('connect', () =>
      opened({
        send: (request) =>
          new Promise((resolve, reject) => {
            waiting = { resolve, reject };
            if (request instanceof Uint8Array) socket.write(request);
            else writeTogether(socket, request);
          }),
        close: () => {
          waiting = undefined;
          socket.destroy();
        },
      }),
    );
  });
}
