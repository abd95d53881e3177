/** Codes of a credential that is not valid, in the order in which they are reported, with a sentence for each. */
const MESSAGES = {
  'credential.invalid': 'the text is not a credential',
  'credential.signature': 'the signature does not hold under the key that the credential names',
  'credential.key_unknown': 'the key that the credential names is not one of the issuer keys',
  'credential.key_revoked': 'the key that the credential names is revoked',
  'credential.schema_differs': 'the credential is of another kind than the expected one',
  'credential.expired': 'the credential has expired',
  'credential.genesis_too_early': 'the first issuance is before the earliest accepted one',
  'credential.claim_differs': 'claims[0] does not commit to the expected data',
} as const;

/** Why a credential is not valid. */
export type CredentialCode = keyof typeof MESSAGES;

/** One thing that is wrong with a credential. */
export interface CredentialFault {
  readonly code: CredentialCode;
  readonly message: string;
  /** The member of the JSON that is wrong, for example `claims[15]`; only with `credential.invalid`. */
  readonly path?: string | undefined;
}

/** Returns a fault. @param message - If absent, the sentence of the code. */
export function fault(code: CredentialCode, message: string = MESSAGES[code]): CredentialFault {
  return { code, message };
}
