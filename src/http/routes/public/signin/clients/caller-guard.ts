import { rateLimitKey } from '../../../../../addresses.ts';
import { ServiceError } from '../../../../../errors/service-error.ts';
import type { CallerLimits } from '../../../../../oidc/endpoints/authenticate-client.ts';
import type { RateDecision } from '../../../../exchange/exchange-types.ts';
import type { Limits } from '../../../../limits/limits.ts';
import type { KnownSet } from '../../../../limits/shared/known-set.ts';

/**
 * Limits calls of an endpoint: those of a client that has authenticated are counted by client, all others by address,
 * so that a stranger behind the address of a client uses up nothing of it.
 */
export interface CallerGuard {
  /**
   * Counts a call, before its body is read, as one of a stranger.
   *
   * @returns Limits of the call, which takes the count back once its client has authenticated.
   * @throws ServiceError `http.rate_limited` if the address is over its limits and no client is known there
   */
  begin(address: string): Promise<CallerLimits>;
}

/** Failures of an address beyond its limit, as a multiple of it: each costs a form and a read of the store at most. */
const ATTEMPTS_PER_CALL = 10;

/** Clients that have authenticated from an address: there, their secrets are checked whatever others have used up. */
class KnownCallers {
  readonly #callers: KnownSet;

  constructor(callers: KnownSet) {
    this.#callers = callers;
  }

  isAnyAt(address: string): boolean {
    return this.#callers.has(rateLimitKey(address));
  }

  has(address: string, clientId: string): boolean {
    return this.#callers.has(`${rateLimitKey(address)} ${clientId}`);
  }

  add(address: string, clientId: string): void {
    const key = rateLimitKey(address);
    this.#callers.add(key);
    this.#callers.add(`${key} ${clientId}`);
  }
}

/**
 * Creates the guards of the endpoints for clients, which share the limit per client.
 *
 * @param clientCalls - `rateLimits.clientCalls`; 0 is off.
 * @returns A function that creates the guard of an endpoint from its path and its limit per address and minute; 0 is
 *   off.
 */
export function createCallerGuards(
  limits: Limits,
  clientCalls: number,
): (path: string, perMinute: number) => CallerGuard {
  const perClient = limits.perMinute('rateLimits.clientCalls', clientCalls);
  const known = new KnownCallers(limits.known('callers'));
  return (path, perMinute) => {
    const strangers = limits.failuresPerMinute(`strangers ${path}`, perMinute);
    // Once an address is over its limit, further calls may show that they are of a client that is new there.
    const attempts = limits.failuresPerMinute(`attempts ${path}`, perMinute * ATTEMPTS_PER_CALL);
    return {
      async begin(address) {
        const decision = strangers?.count(address);
        let excess = decision?.isAllowed === false ? decision : undefined;
        let isAttempt = false;

        async function countAttempt(refusal: RateDecision): Promise<void> {
          if (isAttempt) return;
          isAttempt = true;
          if (attempts?.count(address).isAllowed === false) throw limited(refusal);
        }

        if (excess !== undefined && !known.isAnyAt(address)) await countAttempt(excess);
        return {
          async beforeCheck(clientId) {
            if (excess !== undefined && !known.has(address, clientId)) await countAttempt(excess);
          },
          async authenticated(clientId) {
            excess = undefined;
            known.add(address, clientId);
            strangers?.forgive(address);
            if (isAttempt) attempts?.forgive(address);
            const own = perClient?.consume(clientId);
            if (own?.isAllowed === false) throw limited(own, clientId);
          },
          refuseStranger() {
            if (excess !== undefined) throw limited(excess);
          },
        };
      },
    };
  };
}

function limited(decision: RateDecision, clientId?: string): ServiceError {
  const who = clientId === undefined ? {} : { clientId };
  return new ServiceError('http.rate_limited', undefined, { ...decision, ...who });
}
