import type { SigninPolicy } from '../../apps/signin-policy.ts';
import { ERRORS, type ErrorCode } from '../../errors/catalogue.ts';
import type { ErrorSpec } from '../../errors/spec.ts';
import { isObject } from '../../json.ts';

/** Reason why a sign-in did not complete, for the page and the relying party. */
export interface Reason {
  /**
   * A code of the service (spec/sign-in.md#further-codes) or of the wallet
   * (spec/sign-in.md#wallet-error-codes).
   */
  readonly code: string;
  /** The OAuth or OIDC error for the relying party if the sign-in ends with this reason. */
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

const DECLINED = denied('The person declined in the wallet.');
const WRONG_VERSION = 'The wallet does not have the version of World ID that this sign-in asks for.';

/** Reasons by error code of the wallet (spec/sign-in.md#wallet-error-codes). */
const WALLET_REASONS: Readonly<Record<string, WalletReason>> = {
  user_rejected: DECLINED,
  verification_rejected: DECLINED,
  timeout: denied('The person did not answer in the wallet in time.'),
  user_presence_failed: denied('The wallet could not confirm that the person is present.'),
  credential_unavailable: denied('The wallet holds no suitable credential.'),
  feature_unavailable: denied('The wallet lacks a feature that this sign-in needs.'),
  world_id_3_not_available: denied(WRONG_VERSION),
  world_id_4_not_available: denied(WRONG_VERSION),
  inclusion_proof_pending: denied('The identity is not in the tree yet.'),
  inclusion_proof_failed: denied('No inclusion proof could be made.'),
  invalid_network: denied('The wallet is on another network.'),
  max_verifications_reached: denied('The wallet reports too many verifications.'),
  nullifier_replayed: denied('The wallet has proved this before and does not prove it again.'),
  identity_attributes_not_matched: denied('The attributes of the person are not those asked for.'),
  connection_failed: REPORTED,
  malformed_request: REPORTED,
  unexpected_response: REPORTED,
  failed_by_host_app: REPORTED,
  invalid_rp_id_format: REPORTED,
  invalid_rp_signature: REPORTED,
  unknown_rp: REPORTED,
  inactive_rp: REPORTED,
  duplicate_nonce: REPORTED,
  timestamp_too_old: REPORTED,
  timestamp_too_far_in_future: REPORTED,
  invalid_timestamp: REPORTED,
  rp_signature_expired: REPORTED,
};

/** Other names under which wallets send these codes. */
const ALIASES: Readonly<Record<string, string>> = {
  cancelled: 'user_rejected',
  nullifier_replay: 'nullifier_replayed',
  identity_attribute_mismatch: 'identity_attributes_not_matched',
};

/** Codes that mean that a required level is not met. */
const UNMET_CODES: readonly string[] = ['credential_unavailable', 'world_id_3_not_available'];

/**
 * Returns the error code of a wallet's answer, in any form (spec/sign-in.md#wallet-answer): `error_code`, or the
 * `error` of a proof response, bare or as `proof_response`. Undefined if the answer is not an error.
 */
export function walletErrorOf(answer: Readonly<Record<string, unknown>>): string | undefined {
  const { error_code: code, proof_response: wrapped } = answer;
  if (typeof code === 'string') return walletErrorCode(code);
  const { error } = isObject(wrapped) ? wrapped : answer;
  return typeof error === 'string' ? walletErrorCode(error) : undefined;
}

/**
 * Returns a wallet's error code as it is stored: a known code (spec/sign-in.md#wallet-error-codes), otherwise
 * `generic_error`.
 */
function walletErrorCode(sent: string): string {
  const code = Object.hasOwn(ALIASES, sent) ? (ALIASES[sent] ?? sent) : sent;
  return Object.hasOwn(WALLET_REASONS, code) ? code : 'generic_error';
}

/** What a sign-in would have accepted. */
export interface Demanded {
  /** Whether only a person who was verified at an Orb. */
  readonly requiresOrb: boolean;
  /** What was asked of World ID 4.0; undefined if 3.0 alone was asked for. */
  readonly ask: { readonly takes3: boolean } | undefined;
}

/** Codes of a wallet after which a request of World ID 4.0 may be tried again, before the app is told. */
const AGAIN: ReadonlySet<string> = new Set([
  'user_rejected',
  'verification_rejected',
  'user_presence_failed',
  'malformed_request',
  'unexpected_response',
  'connection_failed',
  'duplicate_nonce',
  'nullifier_replayed',
  'timestamp_too_old',
  'timestamp_too_far_in_future',
  'invalid_timestamp',
  'rp_signature_expired',
  'generic_error',
]);
/** Codes after which the service asks anew by itself: the request was late, or its nonce known. */
const STALE: ReadonlySet<string> = new Set(['duplicate_nonce', 'timestamp_too_old', 'rp_signature_expired']);
/** Codes that an operator must look at: key, registration or clock of the service, or a form that no wallet reads. */
const ALARMING: ReadonlySet<string> = new Set([
  'malformed_request',
  'invalid_rp_signature',
  'unknown_rp',
  'inactive_rp',
  'timestamp_too_far_in_future',
  'invalid_timestamp',
]);

/** What follows when a wallet answers a request of World ID 4.0 with a code (spec/sign-in.md#wallet-error-codes). */
export interface CodeRule {
  readonly isAgain: boolean;
  readonly isStale: boolean;
  readonly isAlarming: boolean;
}

/** Returns what follows on a code of a wallet. */
export function ruleOfCode(code: string): CodeRule {
  return { isAgain: AGAIN.has(code), isStale: STALE.has(code), isAlarming: ALARMING.has(code) };
}

/** Returns the reason for a stored code: one of the catalogue or of the wallet. */
export function reasonOf(stored: string, { requiresOrb, ask }: Demanded): Reason {
  if (Object.hasOwn(ERRORS, stored)) {
    const spec: ErrorSpec = ERRORS[stored as ErrorCode];
    const { error, code, text } = spec.signin ?? ERRORS['internal.unforeseen'].signin;
    return { error, code, text: text ?? spec.title };
  }
  const reason = WALLET_REASONS[stored] ?? REPORTED;
  const lacks4 = stored === 'world_id_4_not_available' && ask !== undefined && !ask.takes3;
  const isUnmet = lacks4 || (requiresOrb && UNMET_CODES.includes(stored));
  return { code: stored, ...reason, ...(isUnmet ? { error: 'unmet_authentication_requirements' } : {}) };
}
