import type { Config } from '../../../../config/settings/types.ts';
import { ServiceError } from '../../../../errors/index.ts';
import type { Metrics } from '../../../../observability/index.ts';
import type { Refresh, RefreshFacts } from '../../../../refresh/index.ts';
import { asServiceError } from '../../../errors/error-answer.ts';
import { REFRESH_HEADERS } from '../../../errors/refresh.ts';
import type { HttpRequest, Route } from '../../../exchange/exchange-types.ts';
import { mediaTypeOf } from '../../../headers/media-type.ts';
import { packageLabel, refreshRefusal, refusalName } from './refusal.ts';

const PROOF_HEADER = 'x-zkp-proof';

/**
 * `POST /api/v1/refresh` (spec/refresh.md#order-of-checks): checks 1 to 3 here, the others behind `refresh`.
 * Every refusal is thrown, so that one place counts them, and none that nobody hears of: the client is gone,
 * or was answered when the handler's time was over.
 */
export function refreshRoute({ config, basePath, refresh, metrics, admit }: RefreshRoutesParts): Route {
  const factsOf = new WeakMap<ServiceError, Readonly<RefreshFacts>>();
  return {
    method: 'POST',
    path: `${basePath}/api/v1/refresh`,
    bodyLimitBytes: config.refresh.bodyLimitBytes,
    refusesOptions: true,
    ...(admit === undefined ? {} : { admit }),
    async checkHead({ headers }) {
      await refresh.checkEnabled();
      if (mediaTypeOf(headers) !== 'multipart/form-data') throw new ServiceError('refresh.media_type');
    },
    renderError(error, context) {
      const fault = asServiceError(error);
      const facts = factsOf.get(fault) ?? {};
      metrics.refreshRefusalsTotal.inc({ package: packageLabel(facts), error: refusalName(fault) });
      return refreshRefusal(fault, context, facts);
    },
    async handler(request) {
      const outcome = await refresh.refresh({
        query: request.query,
        contentType: request.headers.get('content-type') ?? '',
        body: request.body,
        proofHeader: proofHeaderOf(request),
        addressKey: request.addressKey,
        signal: request.signal,
      });
      const { facts } = outcome;
      if (!outcome.ok) {
        const fault = asServiceError(outcome.error);
        factsOf.set(fault, facts);
        throw fault;
      }
      // counted even if the client is gone: the record of the credential stays
      metrics.credentialsIssuedTotal.inc({ package: packageLabel(facts) });
      const { credential } = outcome;
      return {
        status: 200,
        headers: REFRESH_HEADERS,
        body: JSON.stringify({ success: true, credential, message: 'Credential refreshed successfully' }),
        logFields: { ...facts },
      };
    },
  };
}

function proofHeaderOf({ headers, repeatedHeaders }: HttpRequest): string | undefined {
  return repeatedHeaders.has(PROOF_HEADER) ? undefined : headers.get(PROOF_HEADER);
}

/** What the routes need of the rest of the service. */
export interface RefreshRoutesParts {
  readonly config: { readonly refresh: Pick<Config['refresh'], 'bodyLimitBytes'> };
  /** Path of `issuerUrl`; the endpoints are below it. */
  readonly basePath: string;
  readonly refresh: Refresh;
  readonly metrics: Pick<Metrics, 'credentialsIssuedTotal' | 'refreshRefusalsTotal'>;
  /** Refuses while the store is down; throws. */
  readonly admit?: NonNullable<Route['admit']>;
}
