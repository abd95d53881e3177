import { RawClient, type RawResponse } from '../../server/raw-client.ts';

/** A client that keeps its connection while the service does. */
export interface KeptConnection {
  /**
   * Sends the pieces of one request and gives its answer; `end` when the connection ended without one, `late` when
   * nothing came at all.
   *
   * @param endsItsSide - On a connection of its own, whose writing side ends, so that a request that is not whole is
   * over at once.
   */
  exchange(pieces: readonly Uint8Array[], endsItsSide: boolean): Promise<RawResponse | 'end' | 'late'>;
  /** Ends the connection; gives what was received that belongs to no request. */
  close(): Promise<string>;
}

// An answer takes milliseconds; this ends the wait for one that never comes.
const DEADLINE_MS = 40_000;

/** A connection to a service of this machine. */
export function keepConnection(port: number): KeptConnection {
  let kept: RawClient | undefined;
  async function close(): Promise<string> {
    const client = kept;
    kept = undefined;
    if (client === undefined) return '';
    client.socket.end();
    return await client.closed();
  }
  return {
    close,
    async exchange(pieces, endsItsSide) {
      if (endsItsSide) {
        const client = await RawClient.open(port);
        return await ask(client, pieces, true);
      }
      if (kept === undefined || kept.isClosed) kept = await RawClient.open(port);
      const client = kept;
      const answer = await ask(client, pieces, false);
      const isOver =
        typeof answer === 'string' ||
        answer.headers.some(([name, value]) => name === 'connection' && value === 'close');
      if (isOver) {
        kept = undefined;
        client.destroy();
      }
      return answer;
    },
  };
}

async function ask(
  client: RawClient,
  pieces: readonly Uint8Array[],
  endsItsSide: boolean,
): Promise<RawResponse | 'end' | 'late'> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    client.destroy();
  }, DEADLINE_MS);
  try {
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) await new Promise((resolve) => setImmediate(resolve));
      client.send(piece);
    }
    if (endsItsSide) client.socket.end();
    return await client.response();
  } catch {
    return isLate ? 'late' : 'end';
  } finally {
    clearTimeout(timer);
    if (endsItsSide) client.destroy();
  }
}
