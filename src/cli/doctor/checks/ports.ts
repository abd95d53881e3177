import { once } from 'node:events';
import { createServer } from 'node:net';
import { messageOf } from '../../../text.ts';
import {
  fetchFromListener,
  type ListenerAnswer,
  type LocalListener,
} from '../../program/fetch-from-listener.ts';
import { type CheckResult, fail, ok, warn } from '../check.ts';

const PROBE_TIMEOUT_MS = 2000;

/** Listener to check, with the path at which a running Proofgate reports whether it is ready. */
export interface ListenerAddress extends LocalListener {
  readonly name: 'server' | 'admin';
  readonly path: string;
}

/** Returns the response of a Proofgate, which has `X-Request-Id`; undefined for anything else. */
async function askProofgate(listener: ListenerAddress): Promise<ListenerAnswer | undefined> {
  try {
    const answer = await fetchFromListener(listener, listener.path, PROBE_TIMEOUT_MS);
    return answer.headers.has('x-request-id') ? answer : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Checks that a port of the settings is free, or in use by a ready service that runs on these settings.
 *
 * @param isServed - Whether a server runs on the store of the settings; undefined if that is not known.
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
  // If it is not known, a Proofgate that answers is assumed to run on these settings.
  if (isServed === false) {
    return fail(title, `${host}:${port} is in use by a Proofgate on another store`, cure);
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
 * Lists names and details of the failing checks of `/health/ready`; empty for any other text. Control
 * characters are removed: any program may have written the text, and it is printed to a terminal.
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
