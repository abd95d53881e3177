import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, Socket } from 'node:net';

/** What a relay does with the bytes of a server. */
type Mode = 'pass' | 'swallow' | 'hold';

type Pair = readonly [client: Socket, upstream: Socket];

/** A TCP relay in front of a server, which can cut and hold connections, swallow answers and refuse connections. */
export class TcpRelay {
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  /** Connections whose client has not got every answer. */
  readonly #lossy = new Set<Pair>();
  #mode: Mode = 'pass';
  #accepts = true;
  #connections = 0;

  private constructor(target: number) {
    this.#server = createServer((client) => {
      this.#connections++;
      if (!this.#accepts) {
        client.destroy();
        return;
      }
      const upstream = new Socket().connect(target, '127.0.0.1');
      const pair = [client, upstream] as const;
      this.#pairs.add(pair);
      const cut = (): void => {
        client.destroy();
        upstream.destroy();
        this.#pairs.delete(pair);
        this.#lossy.delete(pair);
      };
      client.on('error', cut).on('close', cut);
      upstream.on('error', cut).on('close', cut);
      client.on('data', (data) => upstream.write(data));
      upstream.on('data', (data) => {
        if (this.#mode === 'swallow') this.#lossy.add(pair);
        else client.write(data);
      });
      if (this.#mode === 'hold') pause(pair);
    });
  }

  static async open(target: number): Promise<TcpRelay> {
    const relay = new TcpRelay(target);
    relay.#server.listen(0, '127.0.0.1');
    await once(relay.#server, 'listening');
    return relay;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Number of connections so far, including those that were refused. */
  get connections(): number {
    return this.#connections;
  }

  /** Whether a connection that stands has lost an answer. */
  get hasSwallowed(): boolean {
    return this.#lossy.size > 0;
  }

  /**
   * `swallow` drops what the server answers, and cuts the connections that lost something when the mode changes. `hold` delays all bytes until the mode changes: the server then gets what
   * was sent even if its sender has given up.
   */
  set mode(mode: Mode) {
    this.#mode = mode;
    cutAll(this.#lossy);
    for (const pair of this.#pairs) {
      if (mode === 'hold') pause(pair);
      else for (const socket of pair) socket.resume();
    }
  }

  /** Whether new connections are taken. */
  set accepts(accepts: boolean) {
    this.#accepts = accepts;
  }

  /** Cuts all connections. */
  cut(): void {
    cutAll(this.#pairs);
  }

  async close(): Promise<void> {
    this.#server.close();
    this.cut();
    await once(this.#server, 'close');
  }
}

function cutAll(pairs: Iterable<Pair>): void {
  for (const [client, upstream] of pairs) {
    client.resetAndDestroy();
    upstream.destroy();
  }
}

function pause(pair: Pair): void {
  for (const socket of pair) socket.pause();
}
