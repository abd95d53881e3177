/** A receiver of OpenTelemetry spans (OTLP over HTTP, JSON) on a real socket. */
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { gate } from './gate.ts';
import { serveLocally } from './server/local-server.ts';

/** A span as it was received, attributes by name. */
export interface ReceivedSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code: number };
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface WireAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface WireRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly WireAttribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<ReceivedSpan, 'attributes'> & {
        readonly attributes: readonly WireAttribute[];
      })[];
    }[];
  }[];
}

/** An open receiver. */
export interface OtlpReceiver {
  readonly endpoint: string;
  readonly spans: ReceivedSpan[];
  /** Attributes of the sender, of the last delivery. */
  resource: Readonly<Record<string, unknown>>;
  /** All bodies as they arrived. */
  readonly bodies: string[];
  /** Answers from now on, and also what has arrived while it was silent. */
  answer(): void;
}

/**
 * Opens a receiver on a free loopback port until the test ends.
 *
 * @param isSilent - Whether it answers nothing until `answer` is called.
 */
export async function openOtlpReceiver(isSilent = false): Promise<OtlpReceiver> {
  const answering = gate<void>();
  if (!isSilent) answering.open();
  const receiver = {
    spans: [] as ReceivedSpan[],
    bodies: [] as string[],
    resource: {},
    answer: () => answering.open(),
  };
  const take = (body: string): void => {
    const { resourceSpans } = JSON.parse(body) as WireRequest;
    receiver.bodies.push(body);
    for (const { resource, scopeSpans } of resourceSpans) {
      receiver.resource = attributesOf(resource.attributes);
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
        receiver.spans.push({ ...span, attributes: attributesOf(span.attributes) });
      }
    }
  };
  const server = await serveLocally(async (request, response) => {
    // A delivery that its sender gives up, or that the end of the test cuts, has brought nothing.
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    await answering.promise;
    const isExpected = request.method === 'POST' && request.url === '/v1/traces';
    if (isExpected) take(body);
    response.writeHead(isExpected ? 200 : 404, { 'Content-Type': 'application/json' }).end('{}');
  });
  onTestFinished(async () => {
    answering.open();
    await server.close();
  });
  return Object.assign(receiver, { endpoint: server.origin });
}

function attributesOf(attributes: readonly WireAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
