/**
 * The interface of `proofgate/credential`, which both of its entries export: accepted forms, verdict, error.
 * `verify-credential.ts` is the check over any crypto core.
 */
export { ProofgateError } from '../facade/proofgate-error.ts';
export type {
  CoordinateForm,
  IssuerKey,
  IssuerKeyForm,
  IssuerKeyStatus,
  IssuerKeysForm,
  ListedIssuerKey,
} from './issuer-keys.ts';
export type {
  Credential,
  CredentialCode,
  CredentialFault,
  CredentialVerdict,
  ExpectedClaim,
  VerifyCredential,
  VerifyCredentialOptions,
} from './types.ts';
