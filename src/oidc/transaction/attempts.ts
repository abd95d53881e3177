import { randomBytes } from 'node:crypto';
import { hashSignal } from '../../semaphore/hashes.ts';
import { toHex } from '../../semaphore/hex.ts';
import type { Attempt, AttemptMessage } from '../../storage/signin/transactions.ts';
import type { AuthorizationRequest } from '../types.ts';
import type { OpenTransaction, TransactionParts } from './types.ts';
import type { WalletBridge } from './wallet-bridge.ts';
import { seal } from './wallet-messages.ts';

/** Input of `newAttempt`. */
export interface AttemptInput {
  /** 1 for the first. */
  readonly attempt: number;
  readonly request: AuthorizationRequest;
  readonly clientName: string;
  /** Whether the nonce is the signal (spec/sign-in.md#signal). */
  readonly isNonceSignal: boolean;
  /** Milliseconds since the epoch. */
  readonly windowEndsAt: number;
}

/** An attempt, and its message for this service's own bridge. */
export interface PlacedAttempt {
  readonly attempt: Attempt;
  readonly message: AttemptMessage | undefined;
}

/**
 * Creates an attempt with a fresh signal and key, and places its request on the bridge
 * (spec/sign-in.md#request-plaintext).
 */
export async function newAttempt(input: AttemptInput, bridge: WalletBridge): Promise<PlacedAttempt> {
  const { attempt, request, windowEndsAt } = input;
  const nonce = input.isNonceSignal ? request.nonce : undefined;
  const signal = nonce ?? `siwi:${randomBytes(32).toString('base64url')}`;
  const aesKey = Uint8Array.from(randomBytes(32));
  const plaintext = plaintextOf(input, signal);
  const { bridgeId, message } = await bridge.place(seal(aesKey, plaintext));
  return { attempt: { attempt, signal, aesKey, bridgeId, windowEndsAt }, message };
}

/** Whether the signal of an attempt is the nonce. A nonce cannot equal a random signal by chance. */
export function isNonceSignal({ row, request }: OpenTransaction): boolean {
  return row.signal === request.nonce;
}

/**
 * Builds the request in the format of IDKit 2.x. Its description helps the person to detect a QR code relayed from
 * another site.
 */
function plaintextOf({ request, clientName }: AttemptInput, signal: string): object {
  const { clientId, requiresOrb, redirectUri } = request;
  return {
    app_id: clientId,
    action_description: `Sign in to ${clientName} (${redirectHost(redirectUri)})`,
    action: '',
    signal: toHex(hashSignal(signal)),
    credential_types: requiresOrb ? ['orb'] : ['orb', 'device'],
    verification_level: requiresOrb ? 'orb' : 'device',
  };
}

/** Returns the displayed part of a redirect URI: its host, or its scheme if it has no host, as for native apps. */
export function redirectHost(redirectUri: string): string {
  const { host, protocol } = new URL(redirectUri);
  return host === '' ? protocol.replace(/:$/, '') : host;
}

/**
 * Begins another attempt of a waiting or failed sign-in; cancels the sign-in at the limit of attempts. Does nothing in
 * any other state or if another request was faster.
 *
 * @throws ServiceError `store.unreachable`
 */
export async function retrySignIn(transaction: OpenTransaction, parts: TransactionParts): Promise<void> {
  const { row, request } = transaction;
  if (row.state !== 'waiting' && row.state !== 'failed') return;
  const { config, store, clients, bridge, metrics, now } = parts;
  if (row.attempt >= config.signin.maxAttempts) return await cancelSignIn(transaction, parts);
  const client = await clients.find(row.clientId);
  const at = now();
  const { attempt, message } = await newAttempt(
    {
      attempt: row.attempt + 1,
      request,
      clientName: client?.name ?? row.clientId,
      isNonceSignal: isNonceSignal(transaction),
      windowEndsAt: Math.min(at + config.signin.proofWindowSeconds * 1000, row.expiresAt),
    },
    bridge,
  );
  const outcome = await store.transactions.retry(row.txn, row.attempt, attempt, message, at);
  if (outcome === 'stored') metrics.signinTransactionsTotal.inc({ result: 'retried' });
}

/**
 * Cancels a waiting or failed sign-in because the person leaves; does nothing in any other state.
 *
 * @throws ServiceError `store.unreachable`
 */
export async function cancelSignIn(
  { row }: OpenTransaction,
  { store, metrics }: Pick<TransactionParts, 'store' | 'metrics'>,
): Promise<void> {
  const isCancelled = await store.transactions.cancel(row.txn);
  if (isCancelled) metrics.signinTransactionsTotal.inc({ result: 'cancelled' });
}
