/**
 * The entry `proofgate/credential` in Node: checks an issued credential offline with the published keys of its issuer, in
 * the calling thread, on the native addon or on WebAssembly. src/docs/library.md has an example. Other runtimes get
 * `credential-web.ts` under the same name.
 */
import type { VerifyCredential } from './credential/index.ts';
import { credentialVerifier } from './credential/verify-credential.ts';
import { useCrypto } from './node/hashes.ts';

export * from './credential/index.ts';

/** Checks a credential offline, in the calling thread. */
export const verifyCredential: VerifyCredential = credentialVerifier(useCrypto);
