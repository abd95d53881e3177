import type { Config } from '../config/settings/types.ts';
import { parseJsonText } from '../json.ts';
import { CallFailure, callOut, type OutgoingAnswer } from '../outgoing.ts';

/** Result of a probe of the issuer's address. */
export type IssuerFinding =
  | { readonly kind: 'right'; readonly headers: Headers }
  /** No response: the address could not be checked. */
  | { readonly kind: 'silent'; readonly actual: string; readonly causes: string }
  /** A response that this service does not send. */
  | { readonly kind: 'wrong'; readonly actual: string; readonly causes: string };

/** Options of a probe. */
export interface ProbeOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Aborts the probe. */
  readonly signal?: AbortSignal;
  /** Default: 5000. */
  readonly timeoutMs?: number;
}

const DEFAULT_BASE_URL = 'http://localhost:8080';
const DISCOVERY_PATH = '/.well-known/openid-configuration';
const TIMEOUT_MS = 5000;
const MAX_BYTES = 65_536;

const UNTRUSTED =
  'this machine does not trust the issuer of the certificate: its chain is incomplete, or NODE_EXTRA_CA_CERTS must name the authority';
const CAUSES_OF_FAILURE: readonly (readonly [code: RegExp, causes: string])[] = [
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'this machine cannot resolve the host name of baseUrl'],
  [/^ECONNREFUSED$/, 'nothing listens there: the proxy is down, or baseUrl has the wrong port'],
  [
    /^(LATE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/,
    'a firewall, or a network in which this machine cannot reach its own public address: then check from another network',
  ],
  [/SELF_SIGNED|UNABLE_TO|CERT_UNTRUSTED/, UNTRUSTED],
  [/ALTNAME/, 'the certificate is for a host other than that of baseUrl'],
  [/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/, 'the certificate or the clock is wrong'],
  [
    /^(ECONNRESET|HPE_\w+)$/,
    'a proxy whose health check of this service has not passed, or that uses a protocol other than that of this port',
  ],
  [
    /^PROXY_/,
    'the proxy of outgoing calls does not reach it: if this machine does, list the host of baseUrl in outgoing.noProxy',
  ],
  [/SSL|EPROTO/, 'one side speaks TLS and the other does not: check tls.certFile and the scheme of baseUrl'],
];

/** Whether the address of the issuer is not known from the settings: a free port with the default `baseUrl`. */
export function isIssuerUnknown({ baseUrl, server }: Pick<Config, 'baseUrl' | 'server'>): boolean {
  return server.port === 0 && baseUrl === DEFAULT_BASE_URL;
}

/**
 * Fetches the discovery document at `{baseUrl}` as a relying party would, and checks that its issuer is
 * `baseUrl`, byte for byte. Never throws.
 */
export async function probeIssuer(baseUrl: string, options: ProbeOptions = {}): Promise<IssuerFinding> {
  try {
    const { headers = {}, signal: stop, timeoutMs = TIMEOUT_MS } = options;
    const url = `${baseUrl}${DISCOVERY_PATH}`;
    return judge(
      await callOut({ url, reach: 'any', headers, timeoutMs, maxBytes: MAX_BYTES, stop }),
      baseUrl,
    );
  } catch (error) {
    return failureOf(error);
  }
}

function judge(
  { status, headers, bytes = new Uint8Array() }: OutgoingAnswer,
  baseUrl: string,
): IssuerFinding {
  if (status !== 200) return wrong(`status ${status}`, causesOfStatus(status, headers.get('location')));
  const issuer = issuerIn(new TextDecoder().decode(bytes));
  if (issuer === undefined) {
    return wrong('no discovery document', 'another service answers there, or a page of the proxy');
  }
  if (issuer === baseUrl) return { kind: 'right', headers };
  return wrong(
    `issuer ${JSON.stringify(issuer)}`,
    'another issuer answers there, or a node whose baseUrl is written differently (scheme, port, path, trailing slash)',
  );
}

function wrong(actual: string, causes: string): IssuerFinding {
  return { kind: 'wrong', actual, causes };
}

function causesOfStatus(status: number, location: string | null): string {
  if (location !== null) return `it redirects to ${location}: baseUrl must be the final address`;
  if (status === 404) {
    return 'the proxy forwards to another service, or strips or adds a path: the path of baseUrl must arrive unchanged';
  }
  return status >= 500 ? 'the proxy does not reach this service' : 'the proxy refuses the request';
}

function issuerIn(text: string): string | undefined {
  try {
    const document = parseJsonText(text);
    if (typeof document !== 'object' || document === null || !('issuer' in document)) return undefined;
    return typeof document.issuer === 'string' ? document.issuer : undefined;
  } catch {
    return undefined;
  }
}

function failureOf(error: unknown): IssuerFinding {
  const code = error instanceof CallFailure ? error.code : 'unknown';
  const [, causes] = CAUSES_OF_FAILURE.find(([pattern]) => pattern.test(code)) ?? [];
  const actual = `no answer (${code})`;
  const isSilent =
    /^(PROXY_REFUSED|PROXY_UNREACHABLE|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|LATE|STOPPED|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/.test(
      code,
    );
  return {
    kind: isSilent ? 'silent' : 'wrong',
    actual,
    causes: causes ?? 'check the proxy and the network',
  };
}
