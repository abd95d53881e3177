import type { RequestLogFields } from '../../observability/log/request-record.ts';
import type { Metrics } from '../../observability/metrics/metrics.ts';
import type { VerifyRequest } from '../request/request-types.ts';
import { type CheckedRequest, itemAnswer } from './checked-request.ts';
import type { PreparedItem } from './prepared-item.ts';
import type { ItemCodes } from './queue-items.ts';

/** Metrics that a run counts (`spec/verification.md#verification-metrics`). */
export type VerifyMetrics = Pick<
  Metrics,
  | 'verifyItemsTotal'
  | 'verifyRootAgeSeconds'
  | 'verifyNullifierReuseTotal'
  | 'verifyIntegrityBundleIgnoredTotal'
>;

/** Counts a request whose integrity bundle is ignored. */
export function countIgnoredBundle(
  metrics: VerifyMetrics,
  { bundledBody, environment }: Pick<VerifyRequest, 'bundledBody' | 'environment'>,
): void {
  if (bundledBody !== undefined) metrics.verifyIntegrityBundleIgnoredTotal.at(environment).add();
}

/** Counts the items of one request by outcome, and the ages of their roots. */
export function countItems(metrics: VerifyMetrics, backend: string, checked: CheckedRequest): void {
  const { request, items, codes } = checked;
  const { protocol, kind, environment } = request;
  request.items.forEach(({ identifier, tree }, index) => {
    const code = codes[index];
    const outcome = code === undefined ? 'ok' : itemAnswer(protocol, code, undefined).code;
    metrics.verifyItemsTotal.at(identifier, environment, outcome, backend, protocol, kind).add();
    const item = items[index];
    if (item?.rootAgeSeconds === undefined) return;
    const accepted = isRootTooOld(item) ? 'false' : 'true';
    metrics.verifyRootAgeSeconds.at(environment, tree, accepted).observe(item.rootAgeSeconds);
  });
}

function isRootTooOld(item: PreparedItem): boolean {
  return item.code !== undefined && item.maxRootAgeSeconds !== undefined;
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
  const tooOld = items.find(isRootTooOld);
  return {
    appId,
    environment: request.environment,
    protocol: request.protocol,
    kind: request.kind,
    items: items.length,
    itemCodes: distinct(codes),
    rootAgeSeconds: tooOld?.rootAgeSeconds,
    maxAgeSeconds: tooOld?.code === undefined ? undefined : tooOld.maxRootAgeSeconds,
    reuse,
  };
}

function distinct(codes: ItemCodes): string {
  if (codes.every((code) => code === undefined)) return 'ok';
  return [...new Set(codes.map((code) => code ?? 'ok'))].join(',');
}
