import type { Config } from '../../../config/settings/types.ts';
import { type ProxyRules, proxyFinder } from '../../../config/values/proxy-rules.ts';
import type { EgressProxy } from '../../../egress-proxies.ts';
import { openTunnel, ProxyFailure } from '../../../proxy-agent.ts';
import { messageOf } from '../../../text.ts';
import { type CheckResult, fail, ok, warn } from '../check.ts';

const TIMEOUT_MS = 3000;
const NAME = 'egress proxy';

/** Checks that the proxies of outgoing calls let calls through. */
export async function checkEgressProxy(
  config: Pick<Config, 'baseUrl' | 'outgoing' | 'roots' | 'webhooks'>,
): Promise<CheckResult[]> {
  const { http, https, exceptions } = config.outgoing.proxies;
  const proxies = [https, http].filter((each) => each !== undefined);
  if (proxies.length === 0) return [ok(NAME, 'none: calls to other systems leave directly')];
  const direct = exceptions.length === 0 ? '' : `; without it: ${exceptions.join(', ')}`;
  const distinct = proxies.filter((each, at) => proxies.findIndex(({ name }) => name === each.name) === at);
  return await Promise.all(distinct.map((proxy) => checkProxy(proxy, targetOf(config, proxy), direct)));
}

async function checkProxy(
  proxy: EgressProxy,
  target: string | undefined,
  direct: string,
): Promise<CheckResult> {
  try {
    const socket = await openTunnel(proxy, target ?? `${proxy.host}:443`, AbortSignal.timeout(TIMEOUT_MS));
    socket.destroy();
    return ok(NAME, `${proxy.name} lets calls through${target ? `, tried to ${target}` : ''}${direct}`);
  } catch (error) {
    if (!(error instanceof ProxyFailure)) {
      const detail = `no answer from the proxy ${proxy.name} within ${TIMEOUT_MS} ms`;
      return fail(NAME, detail, 'Correct outgoing.proxy, or mend the proxy.');
    }
    const { code, status } = error;
    if (code === 'PROXY_UNREACHABLE' || status === 407) {
      return fail(NAME, messageOf(error), 'Correct outgoing.proxy, or mend the proxy.');
    }
    // It refuses what it was not told to let through, and has answered.
    if (target === undefined) return ok(NAME, `${proxy.name} answers${direct}`);
    return warn(
      NAME,
      `${messageOf(error)} for ${target}`,
      'Allow that host at the proxy, or list it in outgoing.noProxy if it is reached directly.',
    );
  }
}

/** Returns host and port of something that the service calls by https through a proxy; undefined if there is none. */
function targetOf(
  { baseUrl, outgoing, roots, webhooks }: Parameters<typeof checkEgressProxy>[0],
  proxy: EgressProxy,
): string | undefined {
  const called = [webhooks.url, ...Object.values(roots.rpc).flat(), baseUrl];
  const url = called
    .filter((each) => each?.startsWith('https:') && URL.canParse(each))
    .map((each) => new URL(each as string))
    .find((each) => isThrough(outgoing.proxies, each, proxy));
  return url && `${url.hostname}:${url.port || 443}`;
}

function isThrough(rules: ProxyRules, url: URL, { name }: EgressProxy): boolean {
  return proxyFinder(rules)(url)?.name === name;
}
