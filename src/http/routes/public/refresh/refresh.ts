import { ServiceError } from '../../../../errors/index.ts';
import { rateLimitKey } from '../../../address.ts';
import { REFRESH_HEADERS } from '../../../errors-refresh.ts';
import type { HttpRequest, Route } from '../../../exchange-types.ts';
import { mediaTypeOf } from '../../../media-type.ts';
import type { RefreshRoutesParts } from './index.ts';
import { countRefusal, packageLabel, refreshRefusal } from './refusal.ts';

const PROOF_HEADER = 'x-zkp-proof';

/** `POST /api/v1/refresh` (refresh.md sections 2, 3 and 11): checks 1 to 3 here, the others behind `refresh`. */
export function refreshRoute({ config, refresh, metrics, admit }: RefreshRoutesParts): Route {
  return {
    method: 'POST',
    path: '/api/v1/refresh',
    bodyLimitBytes: config.refresh.bodyLimitBytes,
    refusesOptions: true,
    ...(admit === undefined ? {} : { admit }),
    async checkHead({ headers }) {
      await refresh.checkEnabled();
      if (mediaTypeOf(headers) !== 'multipart/form-data') throw new ServiceError('refresh.media_type');
    },
    renderError(error, context) {
      countRefusal(metrics, error, {});
      return refreshRefusal(error, context, {});
    },
    async handler(request) {
      const { method, params, requestId, signal } = request;
      const outcome = await refresh.refresh({
        query: request.query,
        contentType: request.headers.get('content-type') ?? '',
        body: request.body,
        proofHeader: proofHeaderOf(request),
        addressKey: rateLimitKey(request.address),
        signal,
      });
      if (!outcome.ok) {
        const { error, facts } = outcome;
        // nobody gets this answer: the client is gone, or was answered when the handler's time was over
        if (!signal.aborted) countRefusal(metrics, error, facts);
        return refreshRefusal(error, { method, params, requestId }, facts);
      }
      const { credential, facts } = outcome;
      // counted even if the client is gone: the record of the credential stays
      metrics.credentialsIssuedTotal.inc({ package: packageLabel(facts) });
      return {
        status: 200,
        headers: REFRESH_HEADERS,
        body: JSON.stringify({ success: true, credential, message: 'Credential refreshed successfully' }),
        logFields: facts,
      };
    },
  };
}

function proofHeaderOf({ headers, repeatedHeaders }: HttpRequest): string | undefined {
  return repeatedHeaders.has(PROOF_HEADER) ? undefined : headers.get(PROOF_HEADER);
}
