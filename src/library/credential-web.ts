/**
 * The entry `proofgate/credential` outside Node: checks an issued credential offline with the published keys of its issuer,
 * in the calling thread, on WebAssembly. src/docs/library.md has an example.
 */

import type { VerifyCredential } from './credential/types.ts';
import { credentialVerifier } from './credential/verify-credential.ts';
import { useCrypto } from './web/hashes.ts';

export type { CredentialCode, CredentialFault } from './credential/faults.ts';
export type {
  CoordinateForm,
  IssuerKey,
  IssuerKeyForm,
  IssuerKeyStatus,
  IssuerKeysForm,
  ListedIssuerKey,
} from './credential/issuer-keys.ts';
export type {
  Credential,
  CredentialVerdict,
  ExpectedClaim,
  VerifyCredential,
  VerifyCredentialOptions,
} from './credential/types.ts';
export { ProofgateError } from './facade/proofgate-error.ts';

/** Checks a credential offline, in the calling thread. */
export const verifyCredential: VerifyCredential = credentialVerifier(useCrypto);
