import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';

/** Listener on this machine. */
export interface LocalListener {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
}

/** Response of a listener. */
export interface ListenerAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Its first 65,536 characters. */
  readonly body: string;
}

const MAX_BODY_CHARACTERS = 65_536;

/** Returns the URL at which a listener on this machine is reachable: a wildcard address becomes loopback. */
export function reachableUrl({ host, port, isTls }: LocalListener): string {
  const target = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `${isTls ? 'https' : 'http'}://${target.includes(':') ? `[${target}]` : target}:${port}`;
}

/**
 * Sends a GET request and reads the response to its end.
 *
 * @throws Error when there is no complete response within `timeoutMs`
 */
export function fetchFromListener(
  listener: LocalListener,
  path: string,
  timeoutMs: number,
): Promise<ListenerAnswer> {
  const url = new URL(path, reachableUrl(listener));
  const signal = AbortSignal.timeout(timeoutMs);
  // The certificate names the public host, not loopback; nothing secret is sent or received.
  const send = listener.isTls
    ? requestTls(url, { signal, rejectUnauthorized: false, agent: false })
    : requestPlain(url, { signal, agent: false });
  return new Promise((resolve, reject) => {
    send.on('error', reject);
    send.on('response', (response) => {
      const { statusCode: status = 0, headers } = response;
      let body = '';
      response.on('error', reject);
      response.setEncoding('utf8').on('data', (text: string) => {
        body = `${body}${text}`.slice(0, MAX_BODY_CHARACTERS);
      });
      response.on('end', () => resolve({ status, headers, body }));
    });
    send.end();
  });
}
