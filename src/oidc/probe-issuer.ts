/** What was found at the address of the issuer. */
export type IssuerFinding =
  | { readonly kind: 'right'; readonly headers: Headers }
  /** Nobody answered: nothing is known of the address. */
  | { readonly kind: 'silent'; readonly actual: string; readonly causes: string }
  /** Somebody answered, and not as this service would. */
  | { readonly kind: 'wrong'; readonly actual: string; readonly causes: string };

/** What may be said about a probe. */
export interface ProbeOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the probe early. */
  readonly signal?: AbortSignal;
  /** Five seconds where absent. */
  readonly timeoutMs?: number;
}

const DISCOVERY_PATH = '/.well-known/openid-configuration';
const TIMEOUT_MS = 5000;

const UNTRUSTED =
  'this machine does not know who signed the certificate: its chain is incomplete, or NODE_EXTRA_CA_CERTS has to name the authority';
const CAUSES_OF_FAILURE: readonly (readonly [code: RegExp, causes: string])[] = [
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'this machine cannot resolve the host name of baseUrl'],
  [/^ECONNREFUSED$/, 'nothing listens there: the proxy is down, or baseUrl has the wrong port'],
  [
    /TIMEOUT|TimeoutError|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/,
    'a firewall, or a network in which this machine cannot reach its own public address: then only a look from outside tells',
  ],
  [/SELF_SIGNED|UNABLE_TO|CERT_UNTRUSTED/, UNTRUSTED],
  [/ALTNAME/, 'the certificate names another host than baseUrl'],
  [/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/, 'the certificate or the clock is wrong'],
  [
    /^(UND_ERR_SOCKET|ECONNRESET)$/,
    'a proxy whose check of this service has not passed, or that speaks otherwise than this port',
  ],
  [
    /SSL|EPROTO/,
    'one side speaks TLS and the other does not: look at tls.certFile and the scheme of baseUrl',
  ],
];

/**
 * Fetches the discovery document at `{baseUrl}` as a relying party would, and looks whether its issuer is `baseUrl`, byte
 * for byte. Never throws.
 */
export async function probeIssuer(baseUrl: string, options: ProbeOptions = {}): Promise<IssuerFinding> {
  const timeout = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
  const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]);
  try {
    const url = `${baseUrl}${DISCOVERY_PATH}`;
    const response = await fetch(url, { redirect: 'manual', signal, headers: { ...options.headers } });
    return await judge(response, baseUrl);
  } catch (error) {
    return failureOf(error);
  }
}

async function judge(response: Response, baseUrl: string): Promise<IssuerFinding> {
  const { status, headers } = response;
  const text = await response.text();
  if (status !== 200) return wrong(`status ${status}`, causesOfStatus(status, headers.get('location')));
  const issuer = issuerIn(text);
  if (issuer === undefined) {
    return wrong('no discovery document', 'another service answers there, or a page of the proxy');
  }
  if (issuer === baseUrl) return { kind: 'right', headers };
  return wrong(
    `issuer ${JSON.stringify(issuer)}`,
    'another issuer answers there, or a node whose baseUrl is spelled otherwise (scheme, port, path, trailing slash)',
  );
}

function wrong(actual: string, causes: string): IssuerFinding {
  return { kind: 'wrong', actual, causes };
}

function causesOfStatus(status: number, location: string | null): string {
  if (location !== null)
    return `it redirects to ${location}: baseUrl has to be the address that clients end at`;
  if (status === 404) {
    return 'the proxy leads elsewhere, or strips or adds a path: the path of baseUrl has to arrive as it is';
  }
  return status >= 500 ? 'the proxy does not reach this service' : 'the proxy refuses the request';
}

function issuerIn(text: string): string | undefined {
  try {
    const document: unknown = JSON.parse(text);
    if (typeof document !== 'object' || document === null || !('issuer' in document)) return undefined;
    return typeof document.issuer === 'string' ? document.issuer : undefined;
  } catch {
    return undefined;
  }
}

function failureOf(error: unknown): IssuerFinding {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = codeOf(cause);
  const [, causes] = CAUSES_OF_FAILURE.find(([pattern]) => pattern.test(code)) ?? [];
  const actual = `no answer (${code})`;
  const isSilent = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$|TIMEOUT|Timeout|UNREACH|Abort/.test(code);
  return {
    kind: isSilent ? 'silent' : 'wrong',
    actual,
    causes: causes ?? 'look at the proxy and the network',
  };
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.name : 'unknown';
}
