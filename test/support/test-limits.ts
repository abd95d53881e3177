import type { HttpServerSettings } from '../../src/http/server.ts';

/** Limits of a test listener: the defaults of the service, with fewer open exchanges. */
export const TEST_LIMITS: HttpServerSettings['limits'] = {
  library: (process.env.PROOFGATE_HTTP_LIBRARY ?? 'auto') as HttpServerSettings['limits']['library'],
  bodyLimitBytes: 1_048_576,
  maxOpenExchanges: 64,
  maxUnfinished: 4096,
  maxUnfinishedPerAddress: 1024,
  maxBodyBytes: 268_435_456,
  maxBodyBytesPerAddress: 134_217_728,
  maxConnections: 8192,
  maxConnectionsPerAddress: 1024,
  keepAliveSeconds: 10,
  handlerTimeoutMs: 30_000,
};
