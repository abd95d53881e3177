import { isObject, type JsonObject } from '../../../json.ts';
import type { DevelopmentTree, WalletErrorCode } from '../../../pages.ts';
import { decodeWord, isBelowScalarOrder } from '../../../semaphore/words.ts';
import { type ConnectRequest, putAnswer, seal, takeRequest, unseal } from '../calls/bridge-client.ts';
import { WalletError } from '../calls/call.ts';
import type { TreeProof } from '../prover/prove-for.ts';
import { type ProofRequest4, readProofRequest } from './proof-request.ts';

/** What a request says of its app. */
export interface AppWords {
  readonly appId: string;
  /** Text by the app, not verified by anyone. */
  readonly description: string;
}

/** World ID 3.0 part of a request of an app to the wallet (spec/sign-in.md#request-plaintext). */
export interface SignInRequest extends AppWords {
  /** Empty for a sign-in. */
  readonly action: string;
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

/** A request taken from the bridge and not answered yet; it has one part or both. */
export interface SignInSession {
  readonly app: AppWords;
  readonly request: SignInRequest | undefined;
  readonly request4: ProofRequest4 | undefined;
  /** Host of the bridge. */
  readonly bridgeHost: string;
  /** Where the app wants the person back: an http or https address. */
  readonly returnTo: string | undefined;
  /**
   * Answers with a World ID 3.0 proof.
   *
   * @throws WalletError `over`, `answer`, `network`
   */
  sendProof(proof: TreeProof): Promise<void>;
  /** Sends an answer of World ID 4.0; throws as `sendProof` does. */
  sendAnswer(answer: JsonObject): Promise<void>;
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
  let parts: Pick<SignInSession, 'app' | 'request' | 'request4'>;
  try {
    parts = readParts(plaintext);
  } catch (error) {
    if (error instanceof WalletError) await sendError('malformed_request');
    throw error;
  }
  return {
    ...parts,
    bridgeHost: new URL(link.bridge).host,
    returnTo: webAddress(link.returnTo ?? (isObject(plaintext) ? plaintext.return_to_url : undefined)),
    sendProof: ({ tree, proof }) =>
      send({
        proof: proof.proof,
        merkle_root: proof.merkleRoot,
        nullifier_hash: proof.nullifierHash,
        verification_level: tree,
      }),
    sendAnswer: send,
    sendError,
  };
}

function readParts(plaintext: unknown): Pick<SignInSession, 'app' | 'request' | 'request4'> {
  const request4 = isObject(plaintext) ? readProofRequest(plaintext) : undefined;
  if (request4 === undefined || request4.plaintext.allow_legacy_proofs === true) {
    const request = parseSignInRequest(plaintext);
    return { app: request, request, request4 };
  }
  const { app_id, action_description } = request4.plaintext;
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
  const app = { appId: textOf(app_id), description: textOf(action_description) };
  return { app, request: undefined, request4 };
}

function webAddress(value: unknown): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  return /^https?:$/.test(new URL(value).protocol) ? value : undefined;
}
