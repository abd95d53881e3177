import type { SigninPolicy } from '../../../apps/index.ts';
import { ERRORS, type ErrorCode, type ErrorSpec } from '../../../errors/index.ts';

/** Why a sign-in did not complete, for the page and for the relying party. */
export interface Reason {
  /**
   * A code of the service (spec/sign-in.md#further-codes) or of the wallet
   * (spec/sign-in.md#wallet-error-codes).
   */
  readonly code: string;
  /** The OAuth or OIDC error that the relying party gets if the sign-in ends with this reason. */
  readonly error: string;
  /** One sentence; ASCII without `"` and `\`. */
  readonly text: string;
}

/** Catalogue codes with which an attempt can fail; after each the person may retry. */
export type FailureCode =
  | 'transaction.answer_unreadable'
  | 'transaction.answer_format'
  | 'transaction.root_unknown'
  | 'transaction.root_too_old'
  | 'transaction.proof_invalid'
  | 'transaction.proof_spent'
  | 'transaction.check_failed';

/** Catalogue codes for a valid proof over a tree that is not sufficient, or of another person, or against the policy. */
export type RefusalCode =
  | 'transaction.orb_required'
  | 'transaction.other_person'
  | NonNullable<SigninPolicy['code']>;

/** Reason if the person leaves and nothing has failed. */
export const LEFT: Reason = {
  code: 'access_denied',
  error: 'access_denied',
  text: 'The person left the sign-in page.',
};

/** Reason for an error code of the wallet (spec/sign-in.md#wallet-error-codes). */
type WalletReason = Omit<Reason, 'code'>;

const denied = (text: string): WalletReason => ({ error: 'access_denied', text });
const REPORTED: WalletReason = { error: 'server_error', text: 'The wallet reported an error.' };

/** Reasons by error code of the wallet (spec/sign-in.md#wallet-error-codes). */
const WALLET_REASONS: Readonly<Record<string, WalletReason>> = {
  verification_rejected: denied('The person declined in the wallet.'),
  credential_unavailable: denied('The wallet holds no suitable credential.'),
  inclusion_proof_pending: denied('The identity is not in the tree yet.'),
  inclusion_proof_failed: denied('No inclusion proof could be made.'),
  invalid_network: denied('The wallet is on another network.'),
  max_verifications_reached: denied('The wallet reports too many verifications.'),
  connection_failed: REPORTED,
  malformed_request: REPORTED,
  unexpected_response: REPORTED,
  failed_by_host_app: REPORTED,
};

/**
 * Returns a wallet's `error_code` as it is stored: a known code (spec/sign-in.md#wallet-error-codes),
 * otherwise `generic_error`.
 */
export function walletErrorCode(code: string): string {
  return Object.hasOwn(WALLET_REASONS, code) ? code : 'generic_error';
}

/**
 * Returns the reason for a stored code: one of the catalogue or of the wallet.
 *
 * @param requiresOrb - Whether only an orb proof would have been accepted.
 */
export function reasonOf(stored: string, requiresOrb: boolean): Reason {
  if (Object.hasOwn(ERRORS, stored)) {
    const spec: ErrorSpec = ERRORS[stored as ErrorCode];
    const { error, code, text } = spec.signin ?? ERRORS['internal.unforeseen'].signin;
    return { error, code, text: text ?? spec.title };
  }
  const reason = WALLET_REASONS[stored] ?? REPORTED;
  const isUnmet = stored === 'credential_unavailable' && requiresOrb;
  return { code: stored, ...reason, ...(isUnmet ? { error: 'unmet_authentication_requirements' } : {}) };
}
