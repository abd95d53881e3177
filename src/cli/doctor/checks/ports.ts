import { once } from 'node:events';
import { createServer } from 'node:net';
import { messageOf } from '../../../text.ts';
import { askListener, type ListenerAnswer, type LocalListener } from '../../program/ask-listener.ts';
import { type CheckResult, fail, ok, warn } from '../check.ts';

const PROBE_TIMEOUT_MS = 2000;

/** A listener to be checked, with the path at which a running Proofgate tells whether it is ready. */
export interface ListenerAddress extends LocalListener {
  readonly name: 'server' | 'admin';
  readonly path: string;
}

/** What listens at an address, as far as its answer tells. */
async function askProofgate(listener: ListenerAddress): Promise<ListenerAnswer | undefined> {
  try {
    const answer = await askListener(listener, listener.path, PROBE_TIMEOUT_MS);
    return answer.headers['x-request-id'] === undefined ? undefined : answer;
  } catch {
    return undefined;
  }
}

/**
 * Whether a port of the settings is free, or taken by the service that runs on these settings, and how that one is.
 *
 * @param isServed - Whether a server runs on the data folder of the settings; undefined where that is not known.
 */
export async function checkPort(
  listener: ListenerAddress,
  isServed: boolean | undefined,
): Promise<CheckResult> {
  const { name, host, port } = listener;
  const title = `${name}.port`;
  if (port === 0) {
    return ok(title, 'a free port is taken at start');
  }
  const server = createServer();
  try {
    const listening = once(server, 'listening');
    server.listen({ host, port, exclusive: true });
    await listening;
    return ok(title, `${host}:${port} is free`);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE') return judgeTaken(title, listener, await askProofgate(listener), isServed);
    return fail(title, `${host}:${port}: ${messageOf(error)}`, `Correct ${name}.host or ${title}.`);
  } finally {
    server.close();
  }
}

function judgeTaken(
  title: string,
  { host, port }: ListenerAddress,
  answer: ListenerAnswer | undefined,
  isServed: boolean | undefined,
): CheckResult {
  const cure = `Stop it, or set ${title} to another port.`;
  if (answer === undefined) return fail(title, `${host}:${port} is in use by another program`, cure);
  // Where it cannot be known the answer of a Proofgate is taken for that of the one on these settings.
  if (isServed === false) {
    return fail(title, `${host}:${port} is in use by a Proofgate on another data folder`, cure);
  }
  const use = `${host}:${port} is in use by the running Proofgate`;
  if (answer.status === 200) return ok(title, `${use}, which is ready`);
  const failing = failingChecks(answer.body);
  return warn(
    title,
    `${use}, which is not ready${failing === '' ? '' : `: ${failing}`}`,
    'See its log, and /health/ready on the admin listener.',
  );
}

/**
 * Names and details of the failing checks of `/health/ready`; empty for any other text. Whoever holds the port wrote it,
 * so that nothing in it may steer the terminal.
 */
function failingChecks(body: string): string {
  try {
    const { checks } = JSON.parse(body) as { checks?: Record<string, { status?: string; detail?: string }> };
    return Object.entries(checks ?? {})
      .filter(([, { status }]) => status !== 'ok')
      .map(([name, { detail }]) => (detail === undefined ? name : `${name} (${detail})`))
      .join(', ')
      .replaceAll(/\p{Cc}/gu, ' ');
  } catch {
    return '';
  }
}
