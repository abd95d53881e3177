import { RawClient, type RawResponse } from '../../server/raw-client.ts';

/** A client that keeps its connection as long as the service does. */
export interface KeptConnection {
  /**
   * Sends the pieces of one request. Returns its answer, `end` when the connection ended without one, or
   * `late` when nothing arrived.
   *
   * @param endsItsSide - Uses a new connection and ends its writing side, so that an incomplete request ends
   * immediately.
   */
  exchange(pieces: readonly Uint8Array[], endsItsSide: boolean): Promise<RawResponse | 'end' | 'late'>;
  /** Ends the connection. Returns received bytes that belong to no request. */
  close(): Promise<string>;
}

// an answer takes milliseconds; this ends the wait for a missing one
const DEADLINE_MS = 40_000;

/** Opens connections to a local service. */
export function keepConnection(port: number): KeptConnection {
  let current: RawClient | undefined;
  async function close(): Promise<string> {
    const client = current;
    current = undefined;
    if (client === undefined) return '';
    client.socket.end();
    return await client.closed();
  }
  return {
    close,
    async exchange(pieces, endsItsSide) {
      if (endsItsSide) {
        const client = await RawClient.open(port);
        return await sendPieces(client, pieces, true);
      }
      if (current === undefined || current.isClosed) current = await RawClient.open(port);
      const client = current;
      const answer = await sendPieces(client, pieces, false);
      const isOver =
        typeof answer === 'string' ||
        answer.headers.some(([name, value]) => name === 'connection' && value === 'close');
      if (isOver) {
        current = undefined;
        client.destroy();
      }
      return answer;
    },
  };
}

async function sendPieces(
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
