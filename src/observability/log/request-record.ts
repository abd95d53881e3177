/** Record of a finished exchange, for the log and the HTTP metrics. */
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
  /** Error code of an error answer. */
  readonly code?: string | undefined;
  /** The value that a handler threw, for the log. */
  readonly error?: unknown;
  /** Trace id of a valid `traceparent` header. */
  readonly traceId?: string | undefined;
  /** Key of the client address for limits, for a 4xx; never logged. */
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

/** Names of `RequestLogFields`; other fields of a route are dropped. */
export const REQUEST_LOG_FIELDS: ReadonlySet<string> = new Set(Object.keys(IS_FIELD));

/**
 * Returns the members of the log line of a finished exchange, in order, after those of `members`; unknown fields and
 * objects of a route are dropped.
 */
export function requestMembers(
  record: RequestRecord,
  members: Record<string, unknown> = {},
): Record<string, unknown> {
  const { fields, requestId, listener, route, method, status, isAborted, code, traceId } = record;
  for (const name in fields) {
    const value = fields[name as keyof RequestLogFields];
    if (REQUEST_LOG_FIELDS.has(name) && typeof value !== 'object') members[name] = value;
  }
  members.requestId = requestId;
  members.listener = listener;
  members.route = route;
  members.method = method;
  members.status = status;
  members.durationMs = Math.round(record.durationMs * 1000) / 1000;
  if (isAborted) members.aborted = true;
  if (code !== undefined) members.code = code;
  if (traceId !== undefined) members.traceId = traceId;
  return members;
}

/**
 * Returns the log line of a finished exchange, with its line break: equal to the line of pino for the same members, in
 * a fifth of the time, which saves a tenth of the server's time per request (test: request-record.test.ts).
 *
 * @param now - Milliseconds since the epoch.
 * @param samplePercent - Share of such requests that have a line, if not all have one.
 */
export function requestLine(record: RequestRecord, now: number, samplePercent?: number): string {
  const members = requestMembers(record, { level: 'info', time: timeText(now) });
  if (samplePercent !== undefined) members.samplePercent = samplePercent;
  members.msg = 'request';
  return `${JSON.stringify(members)}\n`;
}

let lastTime = Number.NaN;
let lastText = '';

/** Returns a time in milliseconds as ISO 8601. Many requests end in one millisecond, and a text takes a third of their line. */
function timeText(now: number): string {
  if (now !== lastTime) lastText = new Date(now).toISOString();
  lastTime = now;
  return lastText;
}
