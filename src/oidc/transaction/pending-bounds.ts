import type { Config } from '../../config/settings/types.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { PendingBounds } from '../../storage/signin/pending.ts';

/** The settings that bound open sign-ins. */
export type PendingConfig = Pick<
  Config['signin'],
  'maxPendingTransactions' | 'maxPendingBytes' | 'maxPendingPercentPerClient' | 'maxBegunBytesPerNetwork'
>;

// Pending sign-ins expire after some minutes, so an immediate retry would fail.
const FULL_RETRY_SECONDS = 30;

/** Minimum number of pending sign-ins allowed to each client, even if its percentage of a low limit is less. */
const MIN_SIGN_INS_OF_CLIENT = 100;

/** Metric label and error code for a sign-in that exceeds a limit. */
export const PENDING_REFUSALS: Readonly<
  Record<'full' | 'client_full' | 'network_full', { readonly result: string; readonly code: ErrorCode }>
> = {
  full: { result: 'too_many', code: 'transaction.too_many' },
  client_full: { result: 'client_full', code: 'transaction.too_many_of_client' },
  network_full: { result: 'network_full', code: 'transaction.too_many_of_network' },
};

/** The codes of these refusals, which go to the relying party. */
export const TOO_MANY: readonly ErrorCode[] = Object.values(PENDING_REFUSALS).map(({ code }) => code);

/** Returns the error for a client whose sign-in or pushed request exceeds a limit. */
export function tooManyPending(refusal: keyof typeof PENDING_REFUSALS, clientId: string): ServiceError {
  const details = { clientId, retryAfterSeconds: FULL_RETRY_SECONDS };
  return new ServiceError(PENDING_REFUSALS[refusal].code, undefined, details);
}

/**
 * Returns the bounds of open sign-ins and pushed requests (spec/sign-in.md#limits-of-open-sign-ins).
 *
 * @param networkKey - Key of the network of the browser, as derived by `AddressKeysOf`.
 */
export function pendingBounds(signin: PendingConfig, networkKey: string): PendingBounds {
  const {
    maxPendingTransactions: maxSignIns,
    maxPendingBytes: maxBytes,
    maxPendingPercentPerClient: percent,
    maxBegunBytesPerNetwork: networkBytes,
  } = signin;
  return {
    all: { maxSignIns, maxBytes },
    client: {
      maxSignIns: Math.max(MIN_SIGN_INS_OF_CLIENT, Math.ceil((maxSignIns * percent) / 100)),
      maxBytes: Math.ceil((maxBytes * percent) / 100),
    },
    network:
      networkBytes === 0
        ? undefined
        : { networkKey, maxSignIns: Number.MAX_SAFE_INTEGER, maxBytes: networkBytes },
  };
}
