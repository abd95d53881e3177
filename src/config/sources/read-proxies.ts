import type { CheckedValues } from '../settings/build-config.ts';
import { findSetting } from '../settings/schema.ts';
import type { Origin, Setting } from '../settings/setting.ts';
import { isProxyException, type ProxyRules, parseProxy } from '../values/proxy-rules.ts';
import { type Fault, settingFault } from './faults.ts';

/** The result of reading the proxies of outgoing calls. */
export interface ProxiesReading {
  readonly rules: ProxyRules;
  readonly faults: readonly Fault[];
  /** Variables of the system that are not used, without their values. */
  readonly warnings: readonly string[];
}

/** A value with what reports that it cannot be used. */
interface Given {
  readonly text: string;
  readonly report: () => void;
}

const PROXY = 'outgoing.proxy';
const NO_PROXY = 'outgoing.noProxy';
const EXPECTED =
  'expected http://[user:password@]host:port or https://…, with special characters percent-encoded';
const EXPECTED_EXCEPTION =
  'expected names, IP addresses, CIDR blocks, each perhaps with a port, or *; got another text';

/**
 * Reads the proxies of outgoing calls: `outgoing.proxy` and `outgoing.noProxy`, else the variables `HTTPS_PROXY`,
 * `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, of which the lower-case form comes first (spec/operations.md#egress-proxy).
 * A setting that cannot be used is a fault; a variable is a warning, since it may be meant for other programs. Neither repeats
 * a value, which may hold a password.
 *
 * @param values - Checked against the schema.
 * @param originOf - Returns the origin of a setting.
 */
export function readProxies(
  values: CheckedValues,
  env: Readonly<Record<string, string | undefined>>,
  originOf: (key: string) => Origin,
): ProxiesReading {
  const faults: Fault[] = [];
  const warnings = new Set<string>();
  const variable = (name: string): Given | undefined => {
    const found = [name.toLowerCase(), name].find((each) => env[each]?.trim());
    const text = found === undefined ? undefined : env[found]?.trim();
    if (text === undefined) return undefined;
    const warning = `${found} is not used: ${EXPECTED}, got another text; set outgoing.proxy in its place, or outgoing.noProxy to * for no proxy`;
    return { text, report: () => warnings.add(warning) };
  };
  const proxy = values[PROXY] as string | undefined;
  const noProxy = values[NO_PROXY] as readonly string[];
  const exceptions = noProxy.length > 0 ? noProxy : (variable('NO_PROXY')?.text ?? '').split(/[\s,]+/);
  // No variable of the system is refused for what other programs accept.
  const isWrong = noProxy.some((text) => !isProxyException(text));
  if (isWrong) faults.push(ofSetting(NO_PROXY, EXPECTED_EXCEPTION, originOf));
  const isOff = exceptions.includes('*');
  const read = (given: Given | undefined): ProxyRules['http'] => {
    if (given === undefined || isOff) return undefined;
    const found = parseProxy(given.text);
    if (found === undefined) given.report();
    return found;
  };
  const setting = ofSetting(PROXY, EXPECTED, originOf);
  const chosen: Given | undefined =
    proxy === undefined ? undefined : { text: proxy, report: () => faults.push(setting) };
  const all = variable('ALL_PROXY');
  const https = read(chosen ?? variable('HTTPS_PROXY') ?? all);
  const http = read(chosen ?? variable('HTTP_PROXY') ?? all);
  return {
    rules: { http, https, exceptions: exceptions.filter((text) => text !== '') },
    faults: [...new Set(faults)],
    warnings: [...warnings],
  };
}

function ofSetting(key: string, text: string, originOf: (key: string) => Origin): Fault {
  return settingFault(findSetting(key) as Setting, text, originOf(key));
}
