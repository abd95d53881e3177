import { ERRORS } from '../../../errors/catalogue.ts';
import { ServiceError } from '../../../errors/service-error.ts';
import type { RequestLogFields } from '../../../observability/log/request-record.ts';
import type { Metrics } from '../../../observability/metrics/metrics.ts';
import type { TokenCall } from '../../../oidc/endpoints/authenticate-client.ts';
import type { AppRow } from '../../../storage/apps/apps.ts';
import type { Groth16Outcome, Groth16Verifier } from '../../../verification/groth16.ts';
import { renderVerifyError, VERIFY_HEADERS } from '../../errors/verify.ts';
import type { HttpResponse, RateGuard, Route } from '../../exchange/exchange-types.ts';
import { refuseLimited } from '../../limits/rate-limit.ts';

/** App in the source of proofs that were sent without an app (spec/engine.md#suspected-sources). */
const NO_APP = 'groth16';

/** Parts of the service that the route needs. */
export interface Groth16RouteParts {
  /** Path of `verifyUrl`; the endpoint is below it. */
  readonly basePath: string;
  readonly verify: Groth16Verifier;
  /** `groth16.bodyLimitBytes`. */
  readonly bodyLimitBytes: number;
  readonly metrics: Pick<Metrics, 'groth16RequestsTotal'>;
  /** Checks the token of an app; absent if none is required. */
  readonly authenticate?: ((call: TokenCall) => Promise<AppRow>) | undefined;
  /** Throws to refuse while the store is down. */
  readonly admit?: NonNullable<Route['admit']>;
  /** Counts proofs per address; absent if `verify.rateLimitPerSecond` is 0. */
  readonly rateGuard?: RateGuard;
}

/** Builds `POST /api/v1/groth16/{key_id}` (spec/verification.md#any-circuit). It accepts JSON of any Content-Type. */
export function groth16Route(parts: Groth16RouteParts): Route {
  const { basePath, verify, bodyLimitBytes, metrics, authenticate, admit, rateGuard } = parts;
  const count = (status: number, code: string): void =>
    metrics.groth16RequestsTotal.at(String(status), code).add();
  const chargeOf = (address: string) => async (proofs: number) => {
    if (proofs > 0) refuseLimited(rateGuard?.consume(address, '', proofs));
  };

  return {
    method: 'POST',
    path: `${basePath}/api/v1/groth16/:key_id`,
    bodyLimitBytes,
    readsBodySynchronously: true,
    ...(admit === undefined ? {} : { admit }),
    ...(rateGuard === undefined ? {} : { rateGuard }),
    ...(authenticate === undefined
      ? {}
      : {
          async checkHead(request) {
            const { headers, address, requestId, context } = request;
            const authorization = headers.get('authorization');
            context.client = (await authenticate({ authorization, address, requestId })).appId;
          },
        }),
    renderError(error, context) {
      const answer = renderVerifyError(error, context);
      const wire = error instanceof ServiceError ? error.spec.verify : undefined;
      count(answer.status, (wire ?? ERRORS['internal.unforeseen'].verify).code);
      return answer;
    },
    async handler(request, timer) {
      const { params, body, requestId, signal, address, addressKey, context } = request;
      const appId = context.client;
      const outcome = await verify({
        keyId: params.key_id ?? '',
        body,
        requestId,
        signal,
        timer,
        source: { address: addressKey, app: appId ?? NO_APP },
        ...(rateGuard === undefined ? {} : { charge: chargeOf(address) }),
      });
      // After an abort no client receives the answer: it has disconnected, or was answered when the handler timed out.
      if (!signal.aborted) count(200, 'ok');
      return answerOf(outcome, appId);
    },
  };
}

function answerOf({ isList, verdicts }: Groth16Outcome, appId: string | undefined): HttpResponse {
  return {
    status: 200,
    fixedHeaders: VERIFY_HEADERS,
    body: JSON.stringify(isList ? { results: verdicts } : verdicts[0]),
    logFields: logFieldsOf(verdicts, appId),
  };
}

function logFieldsOf(verdicts: Groth16Outcome['verdicts'], appId: string | undefined): RequestLogFields {
  const codes = new Set(verdicts.map((verdict) => (verdict.valid ? 'ok' : verdict.code)));
  return { appId, items: verdicts.length, itemCodes: [...codes].join(',') };
}
