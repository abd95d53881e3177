import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An HTTP server on the loopback interface. */
export interface LocalServer {
  /** `http://127.0.0.1:<port>`. */
  readonly origin: string;
  /** Ends its connections and frees the port. */
  close(): Promise<void>;
}

/** Starts a server on a free port. */
export async function serveLocally(listener: RequestListener): Promise<LocalServer> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
