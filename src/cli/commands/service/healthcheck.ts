import type { Config } from '../../../config/settings/types.ts';
import { ServiceError } from '../../../errors/service-error.ts';
import { messageOf } from '../../../text.ts';
import type { Command } from '../../program/command.ts';
import { fetchFromListener, reachableUrl } from '../../program/fetch-from-listener.ts';

const TIMEOUT_MS = 5000;
const READINESS_PATH = '/healthz';

async function readiness({ server, tls }: Config): Promise<{ url: string; status: number }> {
  if (server.port === 0) {
    throw new ServiceError(
      'server.not_ready',
      'server.port is 0: the port that the service was given is not known here',
    );
  }
  const listener = { ...server, isTls: tls.certFile !== undefined };
  const url = `${reachableUrl(listener)}${READINESS_PATH}`;
  try {
    const { status } = await fetchFromListener(listener, READINESS_PATH, TIMEOUT_MS);
    return { url, status };
  } catch (error) {
    const reason = messageOf(error);
    throw new ServiceError('server.not_ready', `${url} does not answer: ${reason}`, {}, { cause: error });
  }
}

/** `healthcheck`: sends one readiness request to the configured address, for containers. */
export const healthcheck: Command = {
  path: ['healthcheck'],
  summary: 'check whether the running service is ready; exit code 0 or 1',
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
