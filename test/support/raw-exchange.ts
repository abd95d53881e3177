import { connect } from 'node:net';

/** What a raw exchange gave: an answer, or nothing because the server closed the connection. */
export interface RawAnswer {
  /** 0 when the connection was closed without an answer. */
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/**
 * Sends bytes as they are, piece by piece, and reads the first answer. The writing side is ended after the last
 * piece, so that a server that waits for more does not keep the test waiting.
 */
export function rawExchange(
  url: string,
  pieces: readonly Uint8Array[],
  endAfter = false,
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    let isDone = false;
    const finish = (): void => {
      if (isDone) return;
      isDone = true;
      socket.destroy();
      resolve(parse(Buffer.concat(chunks).toString('latin1')));
    };
    socket.setNoDelay(true);
    socket.on('connect', async () => {
      for (const piece of pieces) {
        if (socket.destroyed) return;
        await new Promise<void>((written) => socket.write(piece, () => written()));
      }
      if (endAfter) socket.end();
    });
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (isComplete(Buffer.concat(chunks).toString('latin1'))) finish();
    });
    socket.on('error', finish);
    socket.on('close', finish);
  });
}

function parse(text: string): RawAnswer {
  const split = text.indexOf('\r\n\r\n');
  const head = split < 0 ? text : text.slice(0, split);
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0),
    head,
    body: split < 0 ? '' : text.slice(split + 4),
  };
}

function isComplete(text: string): boolean {
  const { status, head, body } = parse(text);
  if (status === 0 || !text.includes('\r\n\r\n')) return false;
  if (status === 204) return true;
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  return length !== undefined && body.length >= Number(length);
}
