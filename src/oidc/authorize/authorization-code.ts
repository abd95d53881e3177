import { createHash, randomBytes } from 'node:crypto';
import type { AcceptedProof, Bytes32, NewCode } from '../../storage/index.ts';
import type { AuthorizationRequest } from '../types.ts';

const CODE_BYTES = 32;

/**
 * An authorization code: the text for the relying party, and the row for the store, which holds only its
 * hash.
 */
export interface IssuedCode {
  /** 43 characters of base64url. */
  readonly text: string;
  readonly row: NewCode;
}

/**
 * Hashes a code; the store keeps only the hash.
 *
 * @returns SHA-256 of the UTF-8 bytes of its text.
 */
export function hashOfCode(text: string): Bytes32 {
  return new Uint8Array(createHash('sha256').update(text).digest());
}

/**
 * Creates the code of a sign-in, bound to the request and the proof (spec/sign-in.md#authorization-code).
 *
 * @param sid - The session that its tokens belong to, if there is one.
 * @param expiresAt - When the code expires, in milliseconds since the epoch.
 */
export function issueCode(
  request: AuthorizationRequest,
  accepted: AcceptedProof,
  sid: string | undefined,
  expiresAt: number,
): IssuedCode {
  const text = randomBytes(CODE_BYTES).toString('base64url');
  const { clientId, redirectUri, scope, codeChallenge, dpopJkt, nonce } = request;
  return {
    text,
    row: {
      codeHash: hashOfCode(text),
      clientId,
      redirectUri,
      scope: scope.join(' '),
      codeChallenge: codeChallenge ?? null,
      dpopJkt: dpopJkt ?? null,
      nonce: nonce === undefined ? null : JSON.stringify(nonce),
      accepted,
      sid: sid ?? null,
      codeExpiresAt: expiresAt,
      expiresAt,
    },
  };
}
