import type { Chain } from '../../../chain/chain.ts';
import { isObject } from '../../../json.ts';

/** State of a provider, as found by the last node that read the source. */
export interface ProviderState {
  readonly host: string;
  /** `up`, `lagging`, or the reason why it is not used. */
  readonly state: string;
  /** Milliseconds since the epoch. */
  readonly since?: number;
  /** Largest number of blocks that it accepts in a request for logs, if it refused more. */
  readonly range?: number;
  readonly lastError?: string;
  readonly lastErrorAt?: number;
  /** Time of its last rate-limit answer; milliseconds since the epoch. */
  readonly rateLimitedAt?: number;
  /** Time at which a quorum of others last contradicted it; milliseconds since the epoch. */
  readonly disagreedAt?: number;
}

/** Returns the states of the providers of a chain, as they are stored. */
export function providersJson(chain: Chain): string {
  return JSON.stringify(
    chain.providers.map((provider): ProviderState => {
      const { host, status, acceptedBlocks, lastFailure, rateLimitedAt, disagreedAt } = provider;
      return {
        host,
        ...status,
        ...(acceptedBlocks === undefined ? {} : { range: acceptedBlocks }),
        ...(lastFailure === undefined
          ? {}
          : { lastError: lastFailure.failure.message.slice(0, 200), lastErrorAt: lastFailure.at }),
        ...(rateLimitedAt === undefined ? {} : { rateLimitedAt }),
        ...(disagreedAt === undefined ? {} : { disagreedAt }),
      };
    }),
  );
}

/** Parses the stored states of providers. */
export function parseProviders(json: string | null): ProviderState[] {
  const value: unknown = json === null ? [] : JSON.parse(json);
  return Array.isArray(value) ? value.filter((entry): entry is ProviderState => isObject(entry)) : [];
}
