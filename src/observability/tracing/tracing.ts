import type { RequestRecord } from '../log/request-record.ts';

/** Where spans are sent, and how many. */
export interface TracingSettings {
  /** Base address of an OTLP receiver; spans go to `<endpoint>/v1/traces`. */
  readonly endpoint: string;
  /** Share of the traces that are recorded, 0 to 100. */
  readonly samplePercent: number;
  /** Scheme of the public address. */
  readonly scheme: string;
  readonly version: string;
  /** Called when spans could not be delivered, which are then lost. */
  readonly onFailed: (reason: string) => void;
  /** Time between two deliveries; 5,000 ms if absent. */
  readonly intervalMs?: number;
  /** Time limit of a delivery; 10,000 ms if absent. */
  readonly timeoutMs?: number;
}

/** A request of which a span begins. */
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
  /** Runs a callback as part of the request; callbacks of other threads and sockets do not know whose they are. */
  within(work: () => void): void;
  /** @param outcome - A word of a bounded set. */
  end(outcome: string): void;
}

/** The span of a request. */
export interface RequestTrace {
  readonly traceId: string;
  /** Runs the handler in the span. */
  run<T>(handler: () => T): T;
  end(record: RequestRecord): void;
}

/** Records spans of requests and of the work that they wait for. No attribute has a path, a query or data of a person. */
export interface Tracing {
  /** Begins the span of a request. */
  startRequest(start: RequestStart): RequestTrace;
  /** Begins work within the current request; undefined outside a request, or if that is not recorded. */
  begin(name: string, attributes: Readonly<Record<string, string>>): WorkSpan | undefined;
  /** Delivers what is waiting, within the time limit of a delivery at most. */
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
