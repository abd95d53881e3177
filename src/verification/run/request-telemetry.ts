import { ERRORS, type ErrorCode, type ErrorSpec } from '../../errors/index.ts';
import { TREE_OF } from '../../membership/roots/trees.ts';
import type { Metrics, RequestLogFields } from '../../observability/index.ts';
import type { CheckedRequest } from './checked-request.ts';
import type { ItemCodes } from './queue-items.ts';

/** Metrics that a run counts (`spec/verification.md#verification-metrics`). */
export type VerifyMetrics = Pick<
  Metrics,
  | 'verifyItemsTotal'
  | 'verifyRootAgeSeconds'
  | 'verifyNullifierReuseTotal'
  | 'verifyIntegrityBundleIgnoredTotal'
>;

/** Counts the items of one request by outcome, and the ages of the roots that they named. */
export function countItems(metrics: VerifyMetrics, backend: string, checked: CheckedRequest): void {
  const { request, items, codes } = checked;
  const { environment } = request;
  if (request.hasIntegrityBundle) metrics.verifyIntegrityBundleIgnoredTotal.at(environment).add();
  request.items.forEach(({ identifier }, index) => {
    metrics.verifyItemsTotal.at(identifier, environment, wireCode(codes[index]), backend).add();
    const item = items[index];
    if (item?.rootAgeSeconds === undefined) return;
    const accepted = item.code === 'item.root_too_old' ? 'false' : 'true';
    metrics.verifyRootAgeSeconds.at(environment, TREE_OF[identifier], accepted).observe(item.rootAgeSeconds);
  });
}

/**
 * Returns the fields of the log line of a request (`spec/verification.md#log-fields`).
 *
 * @param appId - The registered app id; undefined until it is known, since a path id may be any text.
 * @param checked - Undefined until all items have their results.
 * @param reuse - Whether the nullifier was recorded before; undefined for a failure.
 */
export function logFieldsOf(
  appId: string | undefined,
  checked: CheckedRequest | undefined,
  reuse?: boolean,
): RequestLogFields {
  if (appId === undefined) return {};
  if (checked === undefined) return { appId };
  const { request, items, codes } = checked;
  // An index of -1 must not be read: V8 looks it up as a name, which costs more than the rest of this function.
  const tooOld = items.findIndex(({ code }) => code === 'item.root_too_old');
  const ages =
    tooOld < 0
      ? undefined
      : { root: items[tooOld]?.rootAgeSeconds, max: request.items[tooOld]?.maxAgeSeconds };
  return {
    appId,
    environment: request.environment,
    items: items.length,
    itemCodes: distinct(codes),
    rootAgeSeconds: ages?.root,
    maxAgeSeconds: ages?.max,
    reuse,
  };
}

function distinct(codes: ItemCodes): string {
  if (codes.every((code) => code === undefined)) return 'ok';
  return [...new Set(codes.map((code) => code ?? 'ok'))].join(',');
}

function wireCode(code: ErrorCode | undefined): string {
  if (code === undefined) return 'ok';
  const spec: ErrorSpec = ERRORS[code];
  return spec.verifyItem?.code ?? 'internal_error';
}
