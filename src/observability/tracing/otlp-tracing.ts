import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import { proxyOf } from '../../egress-proxies.ts';
import { proxyAgent } from '../../proxy-agent.ts';
import type { RequestRecord } from '../log/request-record.ts';
import { parseTraceparent, type RequestStart, type Tracing, type TracingSettings } from './tracing.ts';

/** Maximum number of spans waiting for delivery; more are dropped, so that an unavailable receiver costs no memory. */
const MAX_WAITING_SPANS = 2048;
const MAX_BATCH_SPANS = 512;
const INTERVAL_MS = 5000;
const TIMEOUT_MS = 10_000;

/** Creates tracing over OTLP/HTTP with JSON bodies. */
export function createOtlpTracing(settings: TracingSettings): Tracing {
  const exporter = createExporter(settings);
  const provider = createProvider(settings, exporter);
  const tracer = provider.getTracer('proofgate', settings.version);
  const current = new AsyncLocalStorage<Span>();

  function startSpan({ method, route, startedAt, traceparent }: RequestStart): Span {
    const isKnown = route !== 'unmatched';
    const attributes: Attributes = {
      'http.request.method': method === 'other' ? '_OTHER' : method,
      'url.scheme': settings.scheme,
      ...(isKnown ? { 'http.route': route } : {}),
    };
    const verb = method === 'other' ? 'HTTP' : method;
    const name = isKnown ? `${verb} ${route}` : verb;
    const options = { kind: SpanKind.SERVER, startTime: epochOf(startedAt), attributes };
    return tracer.startSpan(name, options, contextOf(traceparent));
  }

  return {
    startRequest(start) {
      const span = startSpan(start);
      return {
        traceId: span.spanContext().traceId,
        run: (handler) => current.run(span, handler),
        end(record) {
          describeAnswer(span, record);
          span.end(epochOf(performance.now()));
        },
      };
    },
    begin(name, attributes) {
      const request = current.getStore();
      if (request?.isRecording() !== true) return undefined;
      const options = { attributes, startTime: epochOf(performance.now()) };
      const span = tracer.startSpan(name, options, trace.setSpan(ROOT_CONTEXT, request));
      return {
        within: (work) => current.run(request, work),
        end(outcome) {
          span.setAttribute('proofgate.outcome', outcome);
          span.end(epochOf(performance.now()));
        },
      };
    },
    async close() {
      await provider.shutdown().catch(() => undefined);
      // The provider stops waiting at the first failed delivery, while others may still run.
      await exporter.shutdown().catch(() => undefined);
    },
  };
}

function createExporter({ endpoint, onFailed, timeoutMs = TIMEOUT_MS }: TracingSettings): SpanExporter {
  const url = `${endpoint}/v1/traces`;
  const proxy = proxyOf(url);
  const exporter = new OTLPTraceExporter({
    url,
    timeoutMillis: timeoutMs,
    ...(proxy === undefined
      ? {}
      : {
          httpAgentOptions: (protocol) => proxyAgent(proxy, protocol, () => AbortSignal.timeout(timeoutMs)),
        }),
  });
  return reporting(exporter, onFailed);
}

function createProvider(settings: TracingSettings, exporter: SpanExporter): BasicTracerProvider {
  const { samplePercent, version, intervalMs = INTERVAL_MS, timeoutMs = TIMEOUT_MS } = settings;
  const processor = new BatchSpanProcessor(exporter, {
    maxQueueSize: MAX_WAITING_SPANS,
    maxExportBatchSize: MAX_BATCH_SPANS,
    scheduledDelayMillis: intervalMs,
    // The exporter enforces the time limit; a processor that gives up first would lose the reason.
    exportTimeoutMillis: 2 * timeoutMs,
  });
  // By the trace id, for traces of callers too: callers must not decide how much is recorded.
  const sampler = new TraceIdRatioBasedSampler(samplePercent / 100);
  return new BasicTracerProvider({
    sampler: new ParentBasedSampler({ root: sampler, remoteParentSampled: sampler }),
    spanProcessors: [processor],
    resource: resourceFromAttributes({
      'service.name': 'proofgate',
      'service.version': version,
      'service.instance.id': randomUUID(),
    }),
  });
}

/** Wraps an exporter so that each failure is reported. */
function reporting(exporter: SpanExporter, onFailed: (reason: string) => void): SpanExporter {
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.error !== undefined) onFailed(result.error.message);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

function contextOf(traceparent: string | undefined): Context {
  const parent = parseTraceparent(traceparent);
  if (parent === undefined) return ROOT_CONTEXT;
  const { traceId, spanId, isSampled } = parent;
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

/** Adds the attributes known at the end (OpenTelemetry semantic conventions for HTTP servers). */
function describeAnswer(span: Span, { status, isAborted, code, requestId }: RequestRecord): void {
  span.setAttribute('proofgate.request_id', requestId);
  if (status > 0) span.setAttribute('http.response.status_code', status);
  if (code !== undefined) span.setAttribute('proofgate.error_code', code);
  if (status < 500 && !isAborted) return;
  span.setAttribute('error.type', isAborted ? 'aborted' : (code ?? String(status)));
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Converts `performance.now()` to milliseconds since the epoch. */
function epochOf(monotonicMs: number): number {
  return performance.timeOrigin + monotonicMs;
}
