import { LRUCache } from 'lru-cache';
import { rateLimitKey } from '../../../../../addresses.ts';
import { ServiceError } from '../../../../../errors/service-error.ts';
import type { CallerLimits } from '../../../../../oidc/endpoints/authenticate-client.ts';
import type { RateDecision } from '../../../../exchange/exchange-types.ts';
import { failuresPerMinuteGuard, perMinuteGuard } from '../../../../limits/rate-limit.ts';

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

const MAX_ADDRESSES = 10_000;
const MAX_CLIENTS_PER_ADDRESS = 100;
/** Failures of an address beyond its limit, as a multiple of it: each costs a form and a read of the store at most. */
const ATTEMPTS_PER_CALL = 10;

/** Clients that have authenticated from an address: there, their secrets are checked whatever others have used up. */
class KnownCallers {
  // With `max` the library would allocate memory for all addresses at once.
  readonly #clients = new LRUCache<string, Set<string>>({ maxSize: MAX_ADDRESSES, sizeCalculation: () => 1 });

  isAnyAt(address: string): boolean {
    return this.#clients.has(rateLimitKey(address));
  }

  has(address: string, clientId: string): boolean {
    return this.#clients.get(rateLimitKey(address))?.has(clientId) === true;
  }

  add(address: string, clientId: string): void {
    const key = rateLimitKey(address);
    const clients = this.#clients.get(key) ?? new Set();
    const [first] = clients;
    if (first !== undefined && clients.size >= MAX_CLIENTS_PER_ADDRESS) clients.delete(first);
    this.#clients.set(key, clients.add(clientId));
  }
}

/**
 * Creates the guards of the endpoints for clients, which share the limit per client.
 *
 * @param clientCalls - `rateLimits.clientCalls`; 0 is off.
 * @returns A function that creates the guard of an endpoint from its limit per address and minute; 0 is off.
 */
export function createCallerGuards(clientCalls: number): (perMinute: number) => CallerGuard {
  const perClient = perMinuteGuard(clientCalls);
  const known = new KnownCallers();
  return (perMinute) => {
    const strangers = failuresPerMinuteGuard(perMinute);
    // Once an address is over its limit, further calls may show that they are of a client that is new there.
    const attempts = failuresPerMinuteGuard(perMinute * ATTEMPTS_PER_CALL);
    return {
      async begin(address) {
        const decision = await strangers?.count(address);
        let excess = decision?.isAllowed === false ? decision : undefined;
        let isAttempt = false;

        async function countAttempt(refusal: RateDecision): Promise<void> {
          if (isAttempt) return;
          isAttempt = true;
          if ((await attempts?.count(address))?.isAllowed === false) throw limited(refusal);
        }

        if (excess !== undefined && !known.isAnyAt(address)) await countAttempt(excess);
        return {
          async beforeCheck(clientId) {
            if (excess !== undefined && !known.has(address, clientId)) await countAttempt(excess);
          },
          async authenticated(clientId) {
            excess = undefined;
            known.add(address, clientId);
            await strangers?.forgive(address);
            if (isAttempt) await attempts?.forgive(address);
            const own = await perClient?.consume(clientId);
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
