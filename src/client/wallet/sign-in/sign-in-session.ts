import { isObject } from '../../../json.ts';
import type { DevelopmentTree } from '../../../pages.ts';
import { decodeWord, isBelowScalarOrder } from '../../../semaphore/words.ts';
import { type ConnectRequest, putAnswer, seal, takeRequest, unseal } from '../calls/bridge-client.ts';
import { WalletError } from '../calls/call.ts';
import type { TreeProof } from '../prover/prove-for.ts';

/** Request of an app to the wallet (spec/sign-in.md#request-plaintext). */
export interface SignInRequest {
  readonly appId: string;
  /** Empty for a sign-in. */
  readonly action: string;
  /** Text by the app, not verified by anyone. */
  readonly description: string;
  /** Hash of the signal: 32 bytes, big-endian, below r. */
  readonly signalHash: Uint8Array;
  /** Trees that satisfy the app, the stronger one first. */
  readonly trees: readonly DevelopmentTree[];
}

/**
 * Reads the decrypted request; unknown members are ignored.
 *
 * @throws WalletError `request`
 */
export function parseSignInRequest(plaintext: unknown): SignInRequest {
  if (!isObject(plaintext)) throw malformed('it is not a JSON object');
  const { app_id, action = '', action_description = '', signal } = plaintext;
  if (typeof app_id !== 'string' || app_id === '') throw malformed('app_id is missing');
  if (typeof action !== 'string') throw malformed('action is not a string');
  const signalHash = typeof signal === 'string' ? decodeWord(signal) : undefined;
  if (!signalHash || !isBelowScalarOrder(signalHash))
    throw malformed('signal is not a hash below the field order');
  return {
    appId: app_id,
    action,
    description: typeof action_description === 'string' ? action_description : '',
    signalHash,
    trees: isOrbRequired(plaintext) ? ['orb'] : ['orb', 'device'],
  };
}

// `credential_types` is the older spelling. If the two differ, the stricter one applies: proving more than required is
// safe.
function isOrbRequired({ credential_types, verification_level }: Readonly<Record<string, unknown>>): boolean {
  if (verification_level === 'orb') return true;
  return (
    Array.isArray(credential_types) && credential_types.length > 0 && !credential_types.includes('device')
  );
}

function malformed(reason: string): WalletError {
  return new WalletError('request', `The app sent a request that cannot be read: ${reason}.`);
}

/** Error codes sent by the wallet instead of a proof (spec/sign-in.md#wallet-error-codes). */
export type WalletErrorCode = 'verification_rejected' | 'credential_unavailable' | 'malformed_request';

/** A request taken from the bridge and not answered yet. */
export interface SignInSession {
  readonly request: SignInRequest;
  /** Host of the bridge. */
  readonly bridgeHost: string;
  /**
   * Answers with a proof.
   *
   * @throws WalletError `over`, `answer`, `network`
   */
  sendProof(proof: TreeProof): Promise<void>;
  /** Answers with an error code; throws as `sendProof` does. */
  sendError(code: WalletErrorCode): Promise<void>;
}

/**
 * Takes and decrypts the request of a link. A malformed request is answered with an error, so that the app
 * does not wait.
 *
 * @throws WalletError `gone`, `key`, `request`, `answer`, `network`
 */
export async function openSession(link: ConnectRequest): Promise<SignInSession> {
  const plaintext = await unseal(link.key, await takeRequest(link));
  const send = async (answer: unknown): Promise<void> => putAnswer(link, await seal(link.key, answer));
  const sendError = (code: WalletErrorCode): Promise<void> => send({ error_code: code });
  let request: SignInRequest;
  try {
    request = parseSignInRequest(plaintext);
  } catch (error) {
    if (error instanceof WalletError) await sendError('malformed_request');
    throw error;
  }
  return {
    request,
    bridgeHost: new URL(link.bridge).host,
    sendProof: ({ tree, proof }) =>
      send({
        proof: proof.proof,
        merkle_root: proof.merkleRoot,
        nullifier_hash: proof.nullifierHash,
        verification_level: tree,
      }),
    sendError,
  };
}
