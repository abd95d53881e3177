import type { Config } from '../config/index.ts';
import { ServiceError } from '../errors/index.ts';
import type { Command } from './command.ts';

const TIMEOUT_MS = 5000;

/** Address at which a listener of this machine is reached: an address for all interfaces becomes loopback. */
export function reachableUrl(host: string, port: number): string {
  const target = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${target.includes(':') ? `[${target}]` : target}:${port}`;
}

async function readiness({ server }: Config): Promise<{ url: string; status: number }> {
  if (server.port === 0) {
    throw new ServiceError(
      'server.not_ready',
      'server.port is 0: the port that the service took is not known here',
    );
  }
  const url = `${reachableUrl(server.host, server.port)}/healthz`;
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
    await response.arrayBuffer();
    return { url, status: response.status };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ServiceError('server.not_ready', `${url} does not answer: ${reason}`, {}, { cause: error });
  }
}

/** `healthcheck`: one readiness call to the configured address, for containers. */
export const healthcheck: Command = {
  path: ['healthcheck'],
  summary: 'ask the running service whether it is ready; exit code 0 or 1',
  run: async (_input, context) => {
    const { config } = await context.loadConfig();
    const { url, status } = await readiness(config);
    if (status !== 200) {
      throw new ServiceError('server.not_ready', `${url} answered ${status}`);
    }
    await context.print({ status: 'ok', url }, `ok: ${url}`);
    return 0;
  },
};
