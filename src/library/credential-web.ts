/**
 * The entry `proofgate/credential` outside Node, with the interface of `credential.ts`, on WebAssembly in the calling
 * thread. Uses the module of an engine of `proofgate/web`, if there is one; otherwise the module is fetched at the
 * first check.
 */
import type { VerifyCredential } from './credential/index.ts';
import { credentialVerifier } from './credential/verify-credential.ts';
import { useCrypto } from './web/hashes.ts';

export * from './credential/index.ts';

/** Checks a credential offline, in the calling thread. */
export const verifyCredential: VerifyCredential = credentialVerifier(useCrypto);
