import { isObject, type JsonObject } from '../../../json.ts';
import type { RequestKind } from '../../../pages.ts';
import {
  type AccountSecret,
  accountNullifier,
  nullifierText,
} from '../../../semaphore/development-account.ts';
import { decodeWord } from '../../../semaphore/words.ts';

/**
 * The World ID 4.0 part of a request, as far as it is shown. The service reads it strictly when it answers
 * (spec/worldid4.md#wallets-of-development), so unknown forms are no fault here.
 */
export interface ProofRequest4 {
  /** The decrypted request. */
  readonly plaintext: JsonObject;
  /** Undefined for a form that no wallet knows. */
  readonly kind: RequestKind | undefined;
  readonly rpId: string;
  /** Text beside the action, which is not proved; may be empty. */
  readonly action: string;
  /** Action to prove, 32 bytes; undefined in sessions. */
  readonly provenAction: Uint8Array | undefined;
  /** Session to prove; undefined in other kinds. */
  readonly sessionId: string | undefined;
  /** Identifiers of the credentials. */
  readonly credentials: readonly string[];
  /** Which of them are required, in words. */
  readonly requirement: string;
}

/** Reads the World ID 4.0 part of a decrypted request; undefined if it has none. */
export function readProofRequest(plaintext: JsonObject): ProofRequest4 | undefined {
  const { proof_request, action } = plaintext;
  if (proof_request === undefined || proof_request === null) return undefined;
  const request: JsonObject = isObject(proof_request) ? proof_request : {};
  const kind = kindOf(request);
  const items = Array.isArray(request.proof_requests) ? request.proof_requests.filter(isObject) : [];
  const credentials = items.map(({ identifier }) => String(identifier));
  return {
    plaintext,
    kind,
    rpId: String(request.rp_id ?? ''),
    action: typeof action === 'string' ? action : '',
    provenAction: typeof request.action === 'string' ? decodeWord(request.action) : undefined,
    sessionId: kind === 'prove-session' ? String(request.session_id) : undefined,
    credentials,
    requirement: wordsOf(request.constraints ?? { all: credentials }),
  };
}

function kindOf({ proof_type, session_id }: JsonObject): RequestKind | undefined {
  const session = session_id ?? 'none';
  if (proof_type === 'create_session') return session === 'none' ? 'create-session' : undefined;
  if (proof_type === 'session') {
    if (session === 'none') return undefined;
    return session === 'create' ? 'create-session' : 'prove-session';
  }
  if ((proof_type ?? 'uniqueness') !== 'uniqueness') return undefined;
  return session === 'none' ? 'uniqueness' : session === 'create' ? 'bound' : undefined;
}

const JOINED: Readonly<Record<string, string>> = { all: ' and ', any: ' or ' };

/** Puts constraints into words, such as `proof_of_human or passport`. */
function wordsOf(node: unknown): string {
  if (typeof node === 'string') return node;
  const [[kind = '', children] = []] = isObject(node) ? Object.entries(node) : [];
  if (!Array.isArray(children)) return 'something that cannot be read';
  const words = children.map((child: unknown) => (isObject(child) ? `(${wordsOf(child)})` : wordsOf(child)));
  if (kind === 'enumerate' && words.length > 1) return `each that you have of ${words.join(', ')}`;
  return words.join(JOINED[kind] ?? ', ');
}

/**
 * Returns the nullifier that an account has for a request, `nil_` and 64 hex digits; undefined for sessions, whose
 * nullifiers are random.
 */
export function nullifierFor(
  { kind, rpId, provenAction }: Pick<ProofRequest4, 'kind' | 'rpId' | 'provenAction'>,
  secret: AccountSecret,
): string | undefined {
  if ((kind !== 'uniqueness' && kind !== 'bound') || provenAction === undefined) return undefined;
  return nullifierText(accountNullifier(secret, rpId, provenAction));
}
