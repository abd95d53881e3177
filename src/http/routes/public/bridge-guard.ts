import { isServiceError } from '../../../errors/service-error.ts';
import type { HttpRequest, RateGuard } from '../../exchange/exchange-types.ts';
import { type FailureGuard, refuseLimited } from '../../limits/rate-limit.ts';
import type { KnownSet } from '../../limits/shared/known-set.ts';

/** Limits of the bridge in addition to that of all calls of an address; each is absent if its setting is 0. */
export interface BridgeCallLimits {
  /** `rateLimits.bridgePolls`: polls of one id by one address. */
  readonly polls?: RateGuard | undefined;
  /** `rateLimits.bridge`: calls of an address that store a message or name an unknown id. */
  readonly calls?: FailureGuard | undefined;
  /** `rateLimits.bridgeFailures`: calls of an address that name an unknown id. */
  readonly failures?: FailureGuard | undefined;
}

/** Kind of a call: `create` stores a message under an id that need not exist, `answer` under an existing one. */
export type BridgeCallKind = 'create' | 'answer' | 'poll';

/** A call before its body. */
type BridgeRequest = Pick<HttpRequest, 'params' | 'addressKey'>;

/**
 * Counts the calls of the bridge: polls of a known id per id and address, so that honest pages behind one address
 * do not refuse each other; calls that store a message or name an unknown id per address.
 */
export interface BridgeGuard {
  /** Counts a call before its body is read. @throws ServiceError `http.rate_limited` */
  admit(kind: BridgeCallKind, request: BridgeRequest): Promise<void>;
  /** Serves an admitted call, and takes back its count if its id was not known but exists. */
  serve<T>(kind: BridgeCallKind, request: BridgeRequest, call: () => Promise<T>): Promise<T>;
  /** Records that an id exists. */
  remember(id: string): void;
}

/**
 * Creates the guard. An id is known if a node of the service created it, or if this node has seen it exist. A call
 * with any other id counts as a failure until its answer shows otherwise: once an address has used up its failures, its
 * calls with unknown ids cost no read of the store.
 *
 * @param chosen - Known ids that callers chose; those of the service are recognized by their form.
 * @param isOwn - Whether a node of the service has created the id (`BridgeIds`).
 */
export function createBridgeGuard(
  limits: BridgeCallLimits,
  chosen: KnownSet,
  isOwn: (id: string) => boolean,
): BridgeGuard {
  const { polls, calls, failures } = limits;
  const remember = (id: string): void => {
    if (!isOwn(id)) chosen.add(id);
  };
  const isUnknown = (kind: BridgeCallKind, id: string): boolean =>
    kind !== 'create' && !isOwn(id) && !chosen.has(id);

  return {
    remember,
    async admit(kind, { params, addressKey }) {
      const id = idOf(params);
      const isFailure = isUnknown(kind, id);
      if (isFailure) refuseLimited(failures?.count(addressKey));
      if (isFailure || kind !== 'poll') refuseLimited(calls?.count(addressKey));
      else refuseLimited(polls?.consume(addressKey, id));
    },
    async serve(kind, { params, addressKey }, call) {
      const id = idOf(params);
      if (!isUnknown(kind, id)) return await call();
      let exists = true;
      try {
        const answer = await call();
        remember(id);
        return answer;
      } catch (error) {
        exists = !isServiceError(error, 'bridge.invalid', 'bridge.not_found', 'bridge.no_status');
        throw error;
      } finally {
        if (exists) failures?.forgive(addressKey);
        if (exists && kind === 'poll') calls?.forgive(addressKey);
      }
    },
  };
}

/** Returns the id as it is stored, in lower case; empty for a call without one. */
function idOf({ request_id: id = '' }: BridgeRequest['params']): string {
  return id.toLowerCase();
}
