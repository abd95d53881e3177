import { ERRORS, type ErrorCode, type ErrorSpec } from '../../errors/index.ts';
import { TREE_OF } from '../../membership/roots/trees.ts';
import type { Metrics } from '../../observability/metrics/metrics.ts';
import type { JudgedRequest } from '../request/judged-request.ts';

/** Facts for the request log: bounded values, never a proof, nullifier, signal hash or body. */
export type VerifyFacts = Readonly<Record<string, string | number | boolean>>;

/** The metrics of this interface (spec/verification.md#verification-metrics) that the flow itself counts. */
export type VerifyMetrics = Pick<
  Metrics,
  | 'verifyItemsTotal'
  | 'verifyRootAgeSeconds'
  | 'verifyNullifierReuseTotal'
  | 'verifyIntegrityBundleIgnoredTotal'
>;

/** Counts the items of one request by outcome, and the ages of the roots that they named. */
export function countItems(metrics: VerifyMetrics, backend: string, judged: JudgedRequest): void {
  const { request, items, codes } = judged;
  const { environment } = request;
  if (request.hasIntegrityBundle) metrics.verifyIntegrityBundleIgnoredTotal.at(environment).add();
  for (const [index, { identifier }] of request.items.entries()) {
    metrics.verifyItemsTotal.at(identifier, environment, wireCode(codes[index]), backend).add();
    const item = items[index];
    if (item?.rootAgeSeconds === undefined) continue;
    const accepted = item.code === 'item.root_too_old' ? 'false' : 'true';
    metrics.verifyRootAgeSeconds.at(environment, TREE_OF[identifier], accepted).observe(item.rootAgeSeconds);
  }
}

/**
 * What the log line of a request says; age and limit of a root that is too old stand here and not in the answer.
 *
 * @param appId - The registered app id; undefined while none is known, since a path id may be anything.
 */
export function factsOf(appId: string | undefined, judged: JudgedRequest | undefined): VerifyFacts {
  if (appId === undefined) return {};
  if (judged === undefined) return { appId };
  const { request, items, codes } = judged;
  const tooOld = items.findIndex(({ code }) => code === 'item.root_too_old');
  const ageSeconds = items[tooOld]?.rootAgeSeconds;
  const limitSeconds = request.items[tooOld]?.maxAgeSeconds;
  return {
    appId,
    environment: request.environment,
    items: items.length,
    itemCodes: [...new Set(codes.map((code) => code ?? 'ok'))].join(','),
    ...(ageSeconds === undefined || limitSeconds === undefined
      ? {}
      : { rootAgeSeconds: ageSeconds, maxAgeSeconds: limitSeconds }),
  };
}

const MAX_KNOWN_APPS = 1000;

/** Facts of requests all of whose items verified, by app: a few of each, made once and frozen. */
const factsOfGood = new Map<string, readonly VerifyFacts[]>();

/** The same of a success. */
export function factsOfSuccess(appId: string, judged: JudgedRequest, reuse: boolean): VerifyFacts {
  const { request, codes } = judged;
  if (codes.some((code) => code !== undefined)) return { ...factsOf(appId, judged), reuse };
  const { environment } = request;
  const items = judged.items.length;
  const ofApp = factsOfGood.get(appId) ?? [];
  const known = ofApp.find(
    (facts) => facts.environment === environment && facts.items === items && facts.reuse === reuse,
  );
  if (known !== undefined) return known;
  const facts = Object.freeze({ appId, environment, items, itemCodes: 'ok', reuse });
  if (ofApp.length === 0 && factsOfGood.size === MAX_KNOWN_APPS) factsOfGood.clear();
  factsOfGood.set(appId, [...ofApp, facts]);
  return facts;
}

function wireCode(code: ErrorCode | undefined): string {
  if (code === undefined) return 'ok';
  const spec: ErrorSpec = ERRORS[code];
  return spec.verifyItem?.code ?? 'internal_error';
}
