import { setTimeout } from 'node:timers/promises';
import type { Config } from '../../config/settings/types.ts';
import type { Log } from '../../observability/log/log.ts';
import { isIssuerUnknown, probeIssuer } from '../../oidc/probe-issuer.ts';
import type { Part } from '../lifecycle.ts';

/** Dependencies of the self-check. */
export interface SelfCheckParts {
  readonly config: Pick<Config, 'baseUrl' | 'server' | 'signin'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Aborts the check when the service stops first. */
  readonly signal?: AbortSignal;
  /** Delays between attempts: a load balancer makes some checks before it routes requests here. */
  readonly retryDelaysMs?: readonly number[];
}

const RETRY_DELAYS_MS = [5000, 15_000];

/** Returns the self-check as a part; it runs in the background and is aborted by a shutdown. */
export function selfCheckPart(parts: Omit<SelfCheckParts, 'signal'>): Part {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  return {
    name: 'self-check',
    start: () => void runSelfCheck({ ...parts, signal: stopping.signal }),
    drain: stop,
    stop,
  };
}

/**
 * Checks, once the service listens, whether the issuer answers at `baseUrl` as configured, and logs the finding with
 * likely causes. Never throws; runs in the background.
 */
export async function runSelfCheck(parts: SelfCheckParts): Promise<void> {
  const { config, log, signal, retryDelaysMs = RETRY_DELAYS_MS } = parts;
  const { baseUrl, signin } = config;
  if (!signin.enabled || isIssuerUnknown(config)) return;
  const options = signal === undefined ? {} : { signal };
  let finding = await probeIssuer(baseUrl, options);
  for (const delayMs of retryDelaysMs) {
    if (finding.kind === 'right' || signal?.aborted === true) break;
    // An aborted wait is not an error; the checks of the signal handle it.
    await setTimeout(delayMs, undefined, { ...options, ref: false }).catch(() => undefined);
    finding = await probeIssuer(baseUrl, options);
  }
  if (signal?.aborted === true) return;
  const event = 'service.self_check';
  if (finding.kind === 'right') {
    log.info('the issuer answers at baseUrl as configured', { event, url: baseUrl });
    return;
  }
  const { actual, causes } = finding;
  log.warn(
    `sign-in will not work for clients: expected issuer ${JSON.stringify(baseUrl)} at its address, got ${actual}; likely: ${causes}`,
    { event, url: baseUrl },
  );
}
