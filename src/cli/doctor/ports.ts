import { once } from 'node:events';
import { createServer } from 'node:net';
import { askListener, type LocalListener } from '../ask-listener.ts';
import { type CheckResult, fail, messageOf, ok, warn } from './check.ts';

const PROBE_TIMEOUT_MS = 2000;

/** A listener to be checked, with a path that a running Proofgate answers there. */
export interface ListenerAddress extends LocalListener {
  readonly name: 'server' | 'admin';
  readonly path: string;
}

async function answersAsProofgate(listener: ListenerAddress): Promise<boolean> {
  try {
    const { headers } = await askListener(listener, listener.path, PROBE_TIMEOUT_MS);
    return headers['x-request-id'] !== undefined;
  } catch {
    return false;
  }
}

/** Whether a port of the settings is free, or taken by a running Proofgate. */
export async function checkPort(listener: ListenerAddress): Promise<CheckResult> {
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
    if (code === 'EADDRINUSE' && (await answersAsProofgate(listener))) {
      return warn(
        title,
        `${host}:${port} is in use by a running Proofgate`,
        'Nothing to do while that server runs; a second one needs another port.',
      );
    }
    if (code === 'EADDRINUSE') {
      return fail(
        title,
        `${host}:${port} is in use by another program`,
        `Stop it, or set ${title} to another port.`,
      );
    }
    return fail(title, `${host}:${port}: ${messageOf(error)}`, `Correct ${name}.host or ${title}.`);
  } finally {
    server.close();
  }
}
