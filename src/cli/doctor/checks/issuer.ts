import { randomUUID } from 'node:crypto';
import type { Config } from '../../../config/settings/types.ts';
import { isIssuerUnknown, probeIssuer } from '../../../oidc/probe-issuer.ts';
import { type CheckResult, fail, ok, warn } from '../check.ts';

const PROBE_TIMEOUT_MS = 3000;
const GENERATED_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Checks the issuer, and the proxies in front of it, with a request through `baseUrl`. */
export async function checkIssuer(config: Config): Promise<CheckResult[]> {
  const { baseUrl, signin } = config;
  const setting = checkProxySettings(config);
  if (!signin.enabled) return [ok('issuer', 'signin.enabled is false'), setting];
  if (isIssuerUnknown(config)) {
    return [ok('issuer', 'not checked: server.port is 0 and baseUrl is not set'), setting];
  }
  const requestId = `doctor-${randomUUID()}`;
  const headers = { 'X-Request-Id': requestId };
  const finding = await probeIssuer(baseUrl, { headers, timeoutMs: PROBE_TIMEOUT_MS });
  if (finding.kind === 'right') {
    const back = finding.headers.get('x-request-id');
    const trust = setting.status === 'ok' ? checkLiveTrust(config.proxy, requestId, back) : setting;
    return [ok('issuer', `${baseUrl} answers, and its issuer is the same`), trust];
  }
  const detail = `expected issuer ${baseUrl} at its address, got ${finding.actual}`;
  const cure = `Likely: ${finding.causes}.`;
  return finding.kind === 'silent'
    ? [warn('issuer', detail, `Start the service if it does not run. ${cure}`), setting]
    : [fail('issuer', detail, cure), setting];
}

/** Checks that the settings about proxies fit together. */
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
  const sources = [...(header === 'none' ? [] : [header]), ...(protocolV2 ? ['PROXY v2'] : [])].join(', ');
  return ok('proxy trust', trusted.length === 0 ? 'no proxy' : `${sources} from ${trusted.join(', ')}`);
}

/**
 * Checks whether the last hop is in `proxy.trusted`. The service adopts a trusted hop's request id, either the one sent
 * here or one that the hop wrote, and returns it; otherwise it generates one, recognizable only by its form.
 */
function checkLiveTrust({ trusted }: Config['proxy'], sent: string, back: string | null): CheckResult {
  if (trusted.length === 0) return ok('proxy trust', 'no proxy');
  return back === sent || (back !== null && !GENERATED_ID.test(back))
    ? ok('proxy trust', `the hop before the service is in proxy.trusted (${trusted.join(', ')})`)
    : warn(
        'proxy trust',
        'the service generated an id for a request through baseUrl: the hop before it is not in proxy.trusted, or writes UUIDs as X-Request-Id',
        'Compare proxy.trusted with the address from which the proxy connects.',
      );
}
