import { randomUUID } from 'node:crypto';
import type { Config } from '../../config/index.ts';
import { probeIssuer } from '../../oidc/probe-issuer.ts';
import { type CheckResult, fail, ok, warn } from './check.ts';

const PROBE_TIMEOUT_MS = 3000;
const DEFAULT_BASE_URL = 'http://localhost:8080';

/** What a request through `baseUrl` shows of the issuer, and of the proxies on the way. */
export async function checkIssuer(config: Config): Promise<CheckResult[]> {
  const { baseUrl, server, signin } = config;
  const setting = checkProxySettings(config);
  if (!signin.enabled) return [ok('issuer', 'signin.enabled is false'), setting];
  if (server.port === 0 && baseUrl === DEFAULT_BASE_URL) {
    return [ok('issuer', 'not asked: server.port is 0 and baseUrl is not set'), setting];
  }
  const requestId = `doctor-${randomUUID()}`;
  const headers = { 'X-Request-Id': requestId };
  const finding = await probeIssuer(baseUrl, { headers, timeoutMs: PROBE_TIMEOUT_MS });
  if (finding.kind === 'right') {
    const isBack = finding.headers.get('x-request-id') === requestId;
    const trust = setting.status === 'ok' ? checkLiveTrust(config.proxy, isBack) : setting;
    return [ok('issuer', `${baseUrl} answers, and its issuer is the same`), trust];
  }
  const detail = `expected issuer ${baseUrl} at its address, got ${finding.actual}`;
  const cure = `Likely: ${finding.causes}.`;
  return finding.kind === 'silent'
    ? [warn('issuer', detail, `Start the service if it does not run. ${cure}`), setting]
    : [fail('issuer', detail, cure), setting];
}

/** Whether the settings about proxies fit together. */
export function checkProxySettings({ baseUrl, proxy, tls }: Config): CheckResult {
  const { trusted, header, protocolV2 } = proxy;
  if (trusted.length === 0 && baseUrl.startsWith('https:') && tls.certFile === undefined) {
    return warn(
      'proxy trust',
      'baseUrl is https and the service speaks plain HTTP, yet proxy.trusted is empty: all clients count as one',
      'Set proxy.trusted to the addresses of the proxy that ends TLS, and proxy.header to the header it writes.',
    );
  }
  if (trusted.length === 0 && header !== 'none') {
    return warn(
      'proxy trust',
      `proxy.header is ${header}, yet proxy.trusted is empty: the header is not read`,
      'Set proxy.trusted to the addresses of the proxies.',
    );
  }
  if (trusted.length > 0 && header === 'none' && !protocolV2) {
    return warn(
      'proxy trust',
      'proxy.trusted is set, yet neither proxy.header nor proxy.protocolV2: clients have the address of the proxy',
      'Set proxy.header to the one header that the proxy writes.',
    );
  }
  const told = [...(header === 'none' ? [] : [header]), ...(protocolV2 ? ['PROXY v2'] : [])].join(', ');
  return ok('proxy trust', trusted.length === 0 ? 'no proxy' : `${told} from ${trusted.join(', ')}`);
}

/** A trusted hop has the id that it passes on taken over; the answer then carries it back. */
function checkLiveTrust({ trusted }: Config['proxy'], isBack: boolean): CheckResult {
  if (trusted.length === 0) return ok('proxy trust', 'no proxy');
  return isBack
    ? ok('proxy trust', `the hop before the service is in proxy.trusted (${trusted.join(', ')})`)
    : warn(
        'proxy trust',
        'the X-Request-Id of a request through baseUrl did not come back: the hop before the service is not in proxy.trusted, or writes an id of its own',
        'Compare proxy.trusted with the address from which the proxy connects.',
      );
}
