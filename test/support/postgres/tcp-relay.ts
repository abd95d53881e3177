import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, Socket } from 'node:net';

/** What a relay does with the bytes of a server. */
type Mode = 'pass' | 'swallow' | 'hold';

/** A TCP relay in front of a server, which can cut connections, swallow answers and refuse connections. */
export class TcpRelay {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #mode: Mode = 'pass';
  #accepts = true;

  private constructor(target: number) {
    this.#server = createServer((client) => {
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
      };
      client.on('error', cut).on('close', cut);
      upstream.on('error', cut).on('close', cut);
      client.on('data', (data) => this.#mode !== 'hold' && upstream.write(data));
      upstream.on('data', (data) => this.#mode === 'pass' && client.write(data));
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

  /** `swallow` drops what the server answers, `hold` drops what is sent to it, too. */
  set mode(mode: Mode) {
    this.#mode = mode;
  }

  /** Whether new connections are taken. */
  set accepts(accepts: boolean) {
    this.#accepts = accepts;
  }

  /** Cuts all connections. */
  cut(): void {
    for (const [client, upstream] of this.#pairs) {
      client.resetAndDestroy();
      upstream.destroy();
    }
  }

  async close(): Promise<void> {
    this.#server.close();
    this.cut();
    await once(this.#server, 'close');
  }
}
