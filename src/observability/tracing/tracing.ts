import type { RequestRecord } from '../log/request-record.ts';

/** Destination and sampling of spans. */
export interface TracingSettings {
  /** Base address of an OTLP receiver; spans go to `<endpoint>/v1/traces`. */
  readonly endpoint: string;
  /** Share of the traces that are recorded, 0 to 100. */
  readonly samplePercent: number;
  /** Scheme of the public address. */
  readonly scheme: string;
  readonly version: string;
  /** Called when spans could not be delivered and are lost. */
  readonly onFailed: (reason: string) => void;
  /** Time between two deliveries; 5,000 ms if absent. */
  readonly intervalMs?: number;
  /** Time limit of a delivery; 10,000 ms if absent. */
  readonly timeoutMs?: number;
}

/** A request whose span begins. */
export interface RequestStart {
  readonly method: string;
  readonly route: string;
  /** `performance.now()` at the head of the request. */
  readonly startedAt: number;
  /** Header `traceparent` as sent. */
  readonly traceparent: string | undefined;
}

/** Work within a request. */
export interface WorkSpan {
  /** Runs a callback in the context of the request; callbacks of other threads and sockets lack it. */
  within(work: () => void): void;
  /** @param outcome - A word from a bounded set. */
  end(outcome: string): void;
}

/** The span of a request. */
export interface RequestTrace {
  readonly traceId: string;
  /** Runs the handler in the span. */
  run<T>(handler: () => T): T;
  end(record: RequestRecord): void;
}

/**
 * Records spans of requests and of the work that they wait for. No attribute contains a path, a query or personal data.
 */
export interface Tracing {
  /** Begins the span of a request. */
  startRequest(start: RequestStart): RequestTrace;
  /** Begins work within the current request; undefined outside a request, or if the request is not recorded. */
  begin(name: string, attributes: Readonly<Record<string, string>>): WorkSpan | undefined;
  /** Delivers the waiting spans, at most within the time limit of a delivery. */
  close(): Promise<void>;
}

/** Position of a request in the trace of its caller. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Parses a `traceparent` header (W3C Trace Context, version 00); undefined if it is not valid. */
export function parseTraceparent(header: string | undefined): TraceParent | undefined {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(header ?? '') ?? [];
  if (!/[1-9a-f]/.test(traceId) || !/[1-9a-f]/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}
