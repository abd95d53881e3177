/** A finished exchange, as the log and the HTTP metrics record it. */
export interface RequestRecord {
  readonly requestId: string;
  /** `public` or `admin`. */
  readonly listener: string;
  /** Pattern of the route, or `unmatched`. */
  readonly route: string;
  /** Method as sent if it is known, else `other`. */
  readonly method: string;
  /** Status sent; 0 if no answer was sent. */
  readonly status: number;
  readonly durationMs: number;
  /** Whether the client disconnected, or the connection was closed, before the answer was finished. */
  readonly isAborted: boolean;
  /** Error code of the answer, if it is an error. */
  readonly code?: string | undefined;
  /** The value that a handler threw, for the log. */
  readonly error?: unknown;
  /** Trace id of a valid `traceparent` header. */
  readonly traceId?: string | undefined;
  /** Client address of a 4xx, as limits key it; never logged. */
  readonly clientKey?: string | undefined;
  /** False for a refusal whose cause was already logged in its window: it is counted but not logged. */
  readonly isLogged: boolean;
  readonly fields?: RequestLogFields | undefined;
}

/** Fields that an endpoint adds to the log line of its request: bounded values without personal data. */
export interface RequestLogFields {
  /** Verification: the registered app. */
  readonly appId?: string | undefined;
  readonly environment?: string | undefined;
  /** Protocol version, and kind of proofs. */
  readonly protocol?: string | undefined;
  readonly kind?: string | undefined;
  /** Number of items. */
  readonly items?: number | undefined;
  /** Distinct outcomes of the items, catalogue codes and `ok`, joined with commas. */
  readonly itemCodes?: string | undefined;
  readonly rootAgeSeconds?: number | undefined;
  readonly maxAgeSeconds?: number | undefined;
  readonly reuse?: boolean | undefined;
  /** Credential refresh: whether the request has a custody package. */
  readonly withPackage?: boolean | undefined;
  readonly proofMs?: number | undefined;
  readonly signMs?: number | undefined;
  readonly commitMs?: number | undefined;
  /** Error name of the answer. */
  readonly refusal?: string | undefined;
  /** Number of the check that refused, and its rule. */
  readonly check?: number | undefined;
  readonly rule?: string | undefined;
  /** Sign-in: the registered client. */
  readonly clientId?: string | undefined;
}

const IS_FIELD: Readonly<Record<keyof RequestLogFields, true>> = {
  appId: true,
  environment: true,
  protocol: true,
  kind: true,
  items: true,
  itemCodes: true,
  rootAgeSeconds: true,
  maxAgeSeconds: true,
  reuse: true,
  withPackage: true,
  proofMs: true,
  signMs: true,
  commitMs: true,
  refusal: true,
  check: true,
  rule: true,
  clientId: true,
};

/** Names of `RequestLogFields`; any other field that a route adds is dropped. */
export const REQUEST_LOG_FIELDS: ReadonlySet<string> = new Set(Object.keys(IS_FIELD));
