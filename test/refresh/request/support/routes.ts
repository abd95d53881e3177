/** The routes of credential refresh on a real listener, over an interface that a test provides. */
import type { Route } from '../../../../src/http/exchange/exchange-types.ts';
import { refreshRoutes } from '../../../../src/http/routes/public/refresh/routes.ts';
import { createLog } from '../../../../src/observability/log/log.ts';
import { observeRequest } from '../../../../src/observability/log/observe-request.ts';
import { createMetrics, type Metrics } from '../../../../src/observability/metrics/metrics.ts';
import type {
  ListedIssuerKey,
  Refresh,
  RefreshOutcome,
  RefreshRequest,
} from '../../../../src/refresh/types.ts';
import { LOG_SETTINGS } from '../../../observability/support/records.ts';
import { type RawResponse, requestText } from '../../../support/server/raw-client.ts';
import { openListener, type TestListener } from '../../../support/server/test-listener.ts';

/** Content type header of the usual request. */
export const TYPE = 'Content-Type: multipart/form-data; boundary=b';
/** A form without parts. */
export const BODY = '--b--\r\n';
/** `refresh.bodyLimitBytes` of these routes. */
export const BODY_LIMIT = 65_536;

/** Builds the text of a request. */
export const post = (headers: readonly string[] = [TYPE], body: string = BODY, query: string = ''): string =>
  requestText(`POST /api/v1/refresh${query}`, [...headers, `Content-Length: ${body.length}`], body);
/** Parses the body of an answer. */
export const jsonOf = (answer: RawResponse): unknown => JSON.parse(answer.body.toString());

/** The interface behind the routes, with defaults, and options of the listener. */
export interface RouteOptions {
  readonly refresh?: (request: RefreshRequest) => RefreshOutcome | Promise<RefreshOutcome>;
  readonly checkEnabled?: () => void | Promise<void>;
  readonly challenge?: Refresh['challenge'];
  readonly issuerKeys?: readonly ListedIssuerKey[];
  readonly admit?: NonNullable<Route['admit']>;
  /** `refresh.bodyLimitBytes`; default: BODY_LIMIT. */
  readonly bodyLimitBytes?: number;
  readonly limits?: { readonly handlerTimeoutMs?: number; readonly bodyLimitBytes?: number };
}

/** An open listener, the calls that reached the interface, and its metrics. */
export interface RouteWorld extends TestListener {
  readonly calls: RefreshRequest[];
  readonly metrics: Metrics;
  /** Log lines of requests, parsed. */
  readonly lines: () => Record<string, unknown>[];
  readonly counts: () => Promise<string[]>;
}

/** Outcome of an issued credential. */
export const ISSUED: RefreshOutcome = {
  ok: true,
  credential: 'eyJpZCI6MX0=',
  facts: { withPackage: true, proofMs: 1.5, signMs: 2, commitMs: 0.25 },
};
/** Returns the outcome of a refusal. */
export const refused = (error: unknown, withPackage?: boolean): RefreshOutcome => ({
  ok: false,
  error,
  facts: withPackage === undefined ? {} : { withPackage },
});

/** Opens a listener that is closed when the test ends. */
export async function openRoutes(options: RouteOptions = {}): Promise<RouteWorld> {
  const calls: RefreshRequest[] = [];
  const chunks: string[] = [];
  const metrics = createMetrics();
  const log = createLog({
    ...LOG_SETTINGS,
    destination: { write: (line) => void chunks.push(line) },
  });
  const observe = observeRequest(log, metrics);
  const refresh: Refresh = {
    checkEnabled: async () => await options.checkEnabled?.(),
    async refresh(request) {
      calls.push(request);
      return (await options.refresh?.(request)) ?? ISSUED;
    },
    challenge:
      options.challenge ??
      (() => Promise.resolve({ challenge: `0x${'5a'.repeat(32)}`, expiresAt: 1_700_000_300 })),
    issuerKeys: () => Promise.resolve(options.issuerKeys ?? []),
  };
  const listener = await openListener(
    refreshRoutes({
      config: { refresh: { bodyLimitBytes: options.bodyLimitBytes ?? BODY_LIMIT } },
      basePath: '',
      refresh,
      metrics,
      ...(options.admit === undefined ? {} : { admit: options.admit }),
    }),
    { onEnd: observe, ...(options.limits === undefined ? {} : { limits: options.limits }) },
  );
  return {
    ...listener,
    calls,
    metrics,
    lines: () => chunks.map((line) => JSON.parse(line) as Record<string, unknown>),
    async counts() {
      const text = await metrics.exposition();
      return text
        .split('\n')
        .filter((line) => /^proofgate_(credentials_issued|refresh_refusals)_total\{/.test(line));
    },
  };
}
