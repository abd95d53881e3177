import { putAnswer, takeRequest } from '../calls/bridge-client.ts';
import { seal, unseal } from '../calls/cipher.ts';
import type { ConnectRequest } from '../calls/connect-request.ts';
import { WalletError } from '../calls/wallet-error.ts';
import type { TreeProof } from '../prover/prove-for.ts';
import { parseSignInRequest, type SignInRequest } from './sign-in-request.ts';

/** Error codes that the wallet answers instead of a proof (spec/sign-in.md#wallet-error-codes). */
export type WalletErrorCode = 'verification_rejected' | 'credential_unavailable' | 'malformed_request';

/** A request that was taken from the bridge and is not answered yet. */
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
