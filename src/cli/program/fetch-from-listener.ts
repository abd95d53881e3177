import { callOut } from '../../outgoing.ts';

/** Listener on this machine. */
export interface LocalListener {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
}

/** Response of a listener. */
export interface ListenerAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Empty if it is longer than 65,536 bytes. */
  readonly body: string;
}

const MAX_BYTES = 65_536;

/** Returns the URL at which a listener on this machine is reachable: a wildcard address becomes loopback. */
export function reachableUrl({ host, port, isTls }: LocalListener): string {
  const target = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `${isTls ? 'https' : 'http'}://${target.includes(':') ? `[${target}]` : target}:${port}`;
}

/**
 * Sends a GET request and reads the response to its end.
 *
 * @throws CallFailure when there is no complete response within `timeoutMs`
 */
export async function fetchFromListener(
  listener: LocalListener,
  path: string,
  timeoutMs: number,
): Promise<ListenerAnswer> {
  const url = new URL(path, reachableUrl(listener)).href;
  const { status, headers, bytes } = await callOut({
    url,
    reach: 'any',
    timeoutMs,
    maxBytes: MAX_BYTES,
    isOwnListener: true,
  });
  return { status, headers, body: new TextDecoder().decode(bytes) };
}
