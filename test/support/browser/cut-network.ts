/** The network between a browser and its servers, which a test cuts at a moment of a request. */
import { once } from 'node:events';
import { type IncomingMessage, request as send } from 'node:http';
import type { Socket } from 'node:net';
import { type LocalServer, serveLocally } from '../server/local-server.ts';

/** Moments of a request at which the network is cut. */
export const MOMENTS = [
  'before the request',
  'before the answer',
  'in the middle of the answer',
  'after the answer',
] as const;

/** Moment of a request at which the network is cut. */
export type Moment = (typeof MOMENTS)[number];

/** An answer that a browser got whole. */
export interface SeenAnswer {
  /** Method and path with query. */
  readonly request: string;
  readonly status: number;
  readonly location: string | undefined;
}

interface Cut {
  readonly step: RegExp;
  readonly moment: Moment;
  readonly happened: () => void;
}

/** Relays of TCP connections to servers. Requests of programs other than Chromium pass at all times. */
export class CutNetwork {
  /** Answers that browsers got, in order. */
  readonly seen: SeenAnswer[] = [];
  readonly #open = new Set<Socket>();
  #cut: Cut | undefined;
  #isDown = false;

  /**
   * Starts a relay to the server at `target`, which may start later.
   *
   * @returns Address for browsers.
   */
  async relay(target: () => string): Promise<LocalServer> {
    return await serveLocally((request) => void this.#carry(target(), request));
  }

  /**
   * Cuts the network at the next request of a browser whose method and path match.
   *
   * @returns Promise that resolves once it is cut; the network then stays down.
   */
  cutAt(step: RegExp, moment: Moment): Promise<void> {
    return new Promise((resolve) => {
      this.#cut = { step, moment, happened: resolve };
    });
  }

  /** Has the network carry nothing for browsers from now on. */
  fail(): void {
    this.#isDown = true;
    for (const socket of this.#open) socket.destroy();
  }

  /** Lets the network carry again. */
  restore(): void {
    this.#isDown = false;
  }

  async #carry(target: string, request: IncomingMessage): Promise<void> {
    const { socket, method, url } = request;
    socket.on('error', () => undefined);
    const isBrowser = request.headers['user-agent']?.includes('Chrome') ?? false;
    const name = `${method} ${url}`;
    const planned = isBrowser && this.#cut?.step.test(name) ? this.#cut : undefined;
    if (isBrowser) this.#open.add(socket.once('close', () => this.#open.delete(socket)));
    if (isBrowser && (this.#isDown || planned?.moment === 'before the request')) {
      return this.#end(socket, planned);
    }
    const answer = await forward(target, request);
    // One of two requests at the same time is cut.
    const cut = planned === this.#cut ? planned : undefined;
    if (isBrowser && (this.#isDown || cut?.moment === 'before the answer')) return this.#end(socket, cut);
    if (cut?.moment === 'in the middle of the answer') {
      return this.#end(socket, cut, answer.half);
    }
    if (isBrowser) this.seen.push({ request: name, status: answer.status, location: answer.location });
    this.#end(socket, cut, answer.bytes);
  }

  /** Ends a connection after the bytes, and all others if the network is cut here. */
  #end(socket: Socket, cut: Cut | undefined, bytes: Uint8Array = new Uint8Array(0)): void {
    socket.end(bytes);
    if (cut === undefined) return;
    this.#cut = undefined;
    // What is written to this connection still arrives.
    this.#open.delete(socket);
    this.fail();
    cut.happened();
  }
}

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  /** Head and body, as sent over a connection that then ends. */
  readonly bytes: Uint8Array;
  /**
   * Head and half of the body; without a body the first bytes of the head, without its fields: over http, unlike over TLS,
   * Chromium takes a cut head for a whole one.
   */
  readonly half: Uint8Array;
}

async function forward(target: string, request: IncomingMessage): Promise<Answer> {
  const { method = 'GET', url = '', headers } = request;
  const sent = send(`${target}${url}`, { method, headers, agent: false });
  request.pipe(sent);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const lines: string[] = [];
  for (let index = 0; index < answer.rawHeaders.length; index += 2) {
    const [name = '', value = ''] = answer.rawHeaders.slice(index);
    if (!/^(?:connection|keep-alive|transfer-encoding|content-length)$/i.test(name))
      lines.push(`${name}: ${value}`);
  }
  lines.push(`Content-Length: ${body.length}`, 'Connection: close');
  const head = Buffer.from(
    `HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}\r\n${lines.join('\r\n')}\r\n\r\n`,
    'latin1',
  );
  const bytes = Buffer.concat([head, body]);
  return {
    status: answer.statusCode ?? 0,
    location: answer.headers.location,
    bytes,
    half: bytes.subarray(0, body.length === 0 ? 4 : head.length + body.length / 2),
  };
}
