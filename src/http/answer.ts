import { STATUS_CODES } from 'node:http';
import type { WireAnswer } from './exchange.ts';
import type { ErrorContext, ErrorRenderer, HttpResponse } from './exchange-types.ts';
import { mergeHeaders } from './response-headers.ts';

/** An answer for the wire with what the log and the metrics say of it. */
export interface Answer {
  readonly wire: WireAnswer;
  readonly code: string | undefined;
  readonly fields: HttpResponse['logFields'];
  /** What was thrown, or what the handler says went wrong. */
  readonly error?: unknown;
}

type HeaderSet = Readonly<Record<string, string>>;

/**
 * Makes an answer ready for the wire.
 *
 * @param defaults - Headers of the listener and of the route; those of the response replace them.
 * @throws Error when a header or the status is not sendable: a fault of the handler
 */
export function composeAnswer(
  response: HttpResponse,
  defaults: readonly (HeaderSet | undefined)[],
  mustClose: boolean,
): Answer {
  const { status } = response;
  if (STATUS_CODES[status] === undefined || status < 200) throw new Error('no such status of an answer');
  return {
    wire: {
      status,
      headers: mergeHeaders(...defaults, response.headers),
      body: response.body ?? '',
      closeConnection: mustClose || response.closeConnection === true,
    },
    code: response.logCode,
    fields: logFieldsOf(response),
    ...(response.logError === undefined ? {} : { error: response.logError }),
  };
}

function logFieldsOf({ logFields, clientId }: HttpResponse): HttpResponse['logFields'] {
  return clientId === undefined ? logFields : { ...logFields, clientId };
}

/** Renders an error as the interface has it; a renderer that fails itself leaves a bare 500. */
export function composeError(
  error: unknown,
  render: ErrorRenderer,
  context: ErrorContext,
  defaults: readonly (HeaderSet | undefined)[],
  mustClose: boolean,
): Answer {
  try {
    return { ...composeAnswer(render(error, context), defaults, mustClose), error };
  } catch (renderFault) {
    const bare: HttpResponse = { status: 500, logCode: 'internal.unforeseen' };
    return { ...composeAnswer(bare, defaults.slice(0, 1), mustClose), error: renderFault };
  }
}
