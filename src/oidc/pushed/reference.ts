import { createHash, randomBytes } from 'node:crypto';
import type { Bytes32 } from '../../storage/index.ts';

/** Prefix of references, which a `request_uri` of any other kind does not have (RFC 9126 section 2.2). */
const PREFIX = 'urn:ietf:params:oauth:request_uri:';
const REFERENCE_BYTES = 32;

/** Creates a reference: the prefix and 43 characters of base64url. */
export function newReference(): string {
  return PREFIX + randomBytes(REFERENCE_BYTES).toString('base64url');
}

/** Whether a `request_uri` has the form of a reference. */
export function isReference(requestUri: string): boolean {
  return requestUri.startsWith(PREFIX);
}

/** Returns the SHA-256 of a reference, which is all that is stored of it. */
export function hashOfReference(reference: string): Bytes32 {
  return new Uint8Array(createHash('sha256').update(reference).digest());
}
