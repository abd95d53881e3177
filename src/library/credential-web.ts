/**
 * The entry `proofgate/credential` outside Node, with the interface of `credential.ts`, on WebAssembly in the calling
 * thread. The module is that of an engine of `proofgate/web`, if there is one; else it is fetched at the first check.
 */
import type { VerifyCredential } from './credential/index.ts';
import { credentialVerifier } from './credential/verify-credential.ts';
import { useCrypto } from './web/hashes.ts';

export * from './credential/index.ts';

/** Checks a credential offline, in the calling thread. */
export const verifyCredential: VerifyCredential = credentialVerifier(useCrypto);
