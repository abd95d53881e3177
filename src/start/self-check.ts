import type { Config } from '../config/types.ts';
import type { Log } from '../observability/index.ts';
import { probeIssuer } from '../oidc/probe-issuer.ts';

/** What the self-check needs. */
export interface SelfCheckParts {
  readonly config: Pick<Config, 'baseUrl' | 'server' | 'signin'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Ends the check when the service stops before. */
  readonly signal?: AbortSignal;
}

const DEFAULT_BASE_URL = 'http://localhost:8080';

/**
 * Looks, once the service listens, whether the issuer answers at `baseUrl` as configured, and says in the log what is
 * there and why that may be. Never throws, and nothing waits for it.
 */
export async function runSelfCheck({ config, log, signal }: SelfCheckParts): Promise<void> {
  const { baseUrl, server, signin } = config;
  // A port of 0 with the default address: nobody said where the service is reached.
  const hasNoAddress = server.port === 0 && baseUrl === DEFAULT_BASE_URL;
  if (!signin.enabled || hasNoAddress) return;
  const finding = await probeIssuer(baseUrl, signal === undefined ? {} : { signal });
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
