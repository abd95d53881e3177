import { randomBytes } from 'node:crypto';
import { hashSignal, toHex } from '../../semaphore/index.ts';
import type { Attempt, AttemptMessage } from '../../storage/index.ts';
import type { AuthorizationRequest } from '../types.ts';
import { seal } from './bridge/cipher.ts';
import type { WalletBridge } from './bridge/wallet-bridge.ts';
import type { OpenTransaction } from './types.ts';

/** What an attempt is made for. */
export interface AttemptWish {
  /** 1 for the first. */
  readonly attempt: number;
  readonly request: AuthorizationRequest;
  readonly clientName: string;
  /** Whether the nonce is the signal (spec/sign-in.md#signal). */
  readonly isNonceSignal: boolean;
  /** Milliseconds since the epoch. */
  readonly windowEndsAt: number;
}

/** An attempt, and what is to be stored on the own bridge with it. */
export interface PlacedAttempt {
  readonly attempt: Attempt;
  readonly message: AttemptMessage | undefined;
}

/**
 * Makes an attempt: fresh signal and key, and its request on the bridge (spec/sign-in.md#request-plaintext).
 */
export async function newAttempt(wish: AttemptWish, bridge: WalletBridge): Promise<PlacedAttempt> {
  const { attempt, request, windowEndsAt } = wish;
  const nonce = wish.isNonceSignal ? request.nonce : undefined;
  const signal = nonce ?? `siwi:${randomBytes(32).toString('base64url')}`;
  const aesKey = Uint8Array.from(randomBytes(32));
  const plaintext = plaintextOf(wish, signal);
  const { bridgeId, message } = await bridge.place(seal(aesKey, plaintext));
  return { attempt: { attempt, signal, aesKey, bridgeId, windowEndsAt }, message };
}

/** Whether the signal of an attempt is the nonce. No nonce is by chance one that this service made. */
export function isNonceSignal({ row, request }: OpenTransaction): boolean {
  return row.signal === request.nonce;
}

/** The request in the shape of IDKit 2.x. The description lets the person spot a QR code that was passed on. */
function plaintextOf({ request, clientName }: AttemptWish, signal: string): object {
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

/** What a person is shown of a redirect URI: its host, or its scheme where a native app has none. */
export function redirectHost(redirectUri: string): string {
  const { host, protocol } = new URL(redirectUri);
  return host === '' ? protocol.replace(/:$/, '') : host;
}
