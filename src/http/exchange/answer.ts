import { STATUS_CODES } from 'node:http';
import { type FixedHeaders, type Header, header, mergeHeaders } from '../headers/response-headers.ts';
import type { WireAnswer } from './exchange.ts';
import type { ErrorContext, ErrorRenderer, HttpResponse } from './exchange-types.ts';

/** An answer for the wire, with its data for log and metrics. */
export interface Answer {
  readonly wire: WireAnswer;
  readonly code: string | undefined;
  readonly fields: HttpResponse['logFields'];
  /** Thrown value, or the `logError` of the handler. */
  readonly error: unknown;
}

type HeaderSet = Readonly<Record<string, string>>;

/** Headers of an answer other than its own. */
export interface HeaderParts {
  readonly requestId: string;
  /** Headers of the listener and of the route, which those of the answer override. */
  readonly defaults: FixedHeaders;
  /** CORS headers, if the route has a policy. */
  readonly allowed: HeaderSet | undefined;
}

/**
 * Prepares an answer for the wire.
 *
 * @throws Error when a header or the status cannot be sent, which is a bug in the handler
 */
export function composeAnswer(response: HttpResponse, headers: HeaderParts, mustClose: boolean): Answer {
  const { status } = response;
  if (STATUS_CODES[status] === undefined || status < 200) {
    throw new Error(`answer: expected a registered HTTP status of 200 or more, got ${status}`);
  }
  return {
    wire: {
      status,
      // Needs no check: created by the service, or checked on arrival.
      requestId: headers.requestId,
      headers: composeHeaders(headers, response),
      body: response.body ?? '',
      closeConnection: mustClose || response.closeConnection === true,
    },
    code: response.logCode,
    fields: logFieldsOf(response),
    error: response.logError,
  };
}

function composeHeaders(
  { defaults, allowed }: HeaderParts,
  { headers, fixedHeaders, cookies }: HttpResponse,
): readonly Header[] {
  const merged =
    fixedHeaders === undefined || headers !== undefined || allowed !== undefined
      ? mergeHeaders(defaults.set, allowed, fixedHeaders?.set, headers)
      : fixedHeaders.over(defaults);
  if (cookies === undefined) return merged;
  return [...merged, ...cookies.map((cookie) => header('Set-Cookie', cookie))];
}

function logFieldsOf({ logFields, clientId }: HttpResponse): HttpResponse['logFields'] {
  return clientId === undefined ? logFields : { ...logFields, clientId };
}

/** Renders an error with the renderer of the interface; if that throws, the answer is a bare 500. */
export function composeError(
  error: unknown,
  render: ErrorRenderer,
  context: ErrorContext,
  headers: HeaderParts,
  bareDefaults: FixedHeaders,
  mustClose: boolean,
): Answer {
  try {
    return { ...composeAnswer(render(error, context), headers, mustClose), error };
  } catch (renderFault) {
    const bare: HttpResponse = { status: 500, logCode: 'internal.unforeseen' };
    const bareHeaders = { requestId: headers.requestId, defaults: bareDefaults, allowed: undefined };
    return { ...composeAnswer(bare, bareHeaders, mustClose), error: renderFault };
  }
}
