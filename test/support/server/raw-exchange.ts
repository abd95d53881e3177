import { RawClient } from './raw-client.ts';

/** Result of a raw exchange: an answer, or a connection closed without one. */
export interface RawAnswer {
  /** 0 when the connection was closed without an answer. */
  readonly status: number;
  readonly body: string;
}

/**
 * Sends bytes unchanged and reads the first answer.
 *
 * @param endAfter - Ends the writing side afterwards, so that the server does not wait for more.
 */
export async function rawExchange(
  url: string,
  pieces: readonly Uint8Array[],
  endAfter = false,
): Promise<RawAnswer> {
  const client = await RawClient.open(Number(new URL(url).port));
  try {
    for (const piece of pieces) client.send(piece);
    if (endAfter) client.socket.end();
    const { status, body } = await client.response();
    return { status, body: body.toString() };
  } catch {
    return { status: 0, body: '' };
  } finally {
    client.destroy();
  }
}
