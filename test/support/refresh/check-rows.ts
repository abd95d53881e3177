/**
 * One fault for each row of spec/refresh.md#order-of-checks, in order; any of them can be combined in one
 * request.
 */
import { orbKeyPair, signManifest } from './custody-package.ts';
import { type RefreshDraft, withParts } from './draft.ts';

/**
 * The service for a request: an enabled one, one with refresh disabled, or one with no proof attempts left.
 */
export type CheckNode = 'open' | 'disabled' | 'tight';

/** A check with its refusal. */
export interface CheckRow {
  /** Name of the check; `method` precedes all others. */
  readonly row: string;
  /** Number in the log; absent before the first check. */
  readonly check?: number;
  /** Code of the error catalogue, as in the log. */
  readonly code: string;
  readonly status: number;
  /** Error name; undefined for the one answer without a name. */
  readonly error?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The service that has this fault. */
  readonly node?: Exclude<CheckNode, 'open'>;
  readonly change?: (draft: RefreshDraft) => RefreshDraft;
  /** Fault of the holder or the proof. */
  readonly holder?: 'is full' | 'is revoked' | 'is bound to another' | 'proves nothing';
}

const UNAUTHORIZED = { 'www-authenticate': 'ZkpProof realm="refresh"' } as const;
const STRANGER = orbKeyPair('a key that nobody registered');
/** Seconds from the clock of the services to the next full minute. */
export const SECONDS_TO_MINUTE = 45;

function row(
  name: string,
  check: number | undefined,
  code: string,
  status: number,
  error: string | undefined,
  more: Pick<CheckRow, 'headers' | 'node' | 'change' | 'holder'>,
): CheckRow {
  return {
    row: name,
    ...(check === undefined ? {} : { check }),
    code,
    status,
    ...(error === undefined ? {} : { error }),
    ...more,
  };
}

/** Faults, in the order of the checks. */
export const CHECK_ROWS: readonly CheckRow[] = [
  row('method', undefined, 'http.method_not_allowed', 405, 'METHOD_NOT_ALLOWED', {
    headers: { allow: 'POST' },
    change: (draft) => ({ ...draft, method: 'PUT' }),
  }),
  // the retry time is a choice of the service: operators flip the switch by hand, and known wallets wait as
  // long
  row('enabled', 1, 'refresh.disabled', 503, undefined, {
    headers: { 'retry-after': '60' },
    node: 'disabled',
  }),
  row('media-type', 2, 'refresh.media_type', 415, 'UNSUPPORTED_MEDIA_TYPE', {
    change: (draft) => ({ ...draft, contentType: 'application/x-www-form-urlencoded' }),
  }),
  row('body-size', 3, 'http.body_too_large', 413, 'PAYLOAD_TOO_LARGE', {
    change: (draft) => ({ ...draft, announcedBytes: 1_048_577 }),
  }),
  row('form', 4, 'refresh.malformed_body', 400, 'INVALID_REQUEST', {
    change: (draft) => ({ ...draft, edit: (body) => body.subarray(0, -8) }),
  }),
  row('form, user id', 4, 'refresh.user_id_too_long', 400, 'INVALID_REQUEST', {
    change: (draft) => withParts(draft, { encrypted_user_id: 'x'.repeat(4097) }),
  }),
  row('sub', 5, 'refresh.sub_invalid', 400, 'INVALID_SUB', {
    // exceeds the limit of the part too, which does not apply to sub
    change: (draft) => withParts(draft, { sub: `0x${'1'.repeat(65)}` }),
  }),
  row('id-comm', 6, 'refresh.id_comm_invalid', 400, 'INVALID_ID_COMM', {
    change: (draft) => ({ ...draft, query: `${draft.query}&${draft.query}` }),
  }),
  row('proof-header', 7, 'refresh.proof_unreadable', 401, 'UNAUTHORIZED', {
    headers: UNAUTHORIZED,
    change: (draft) => ({ ...draft, headers: {} }),
  }),
  row('proof-attempts', 8, 'http.rate_limited', 429, 'RATE_LIMIT_EXCEEDED', {
    headers: { 'retry-after': String(SECONDS_TO_MINUTE) },
    node: 'tight',
  }),
  row('holder-proof', 9, 'refresh.proof_invalid', 401, 'INVALID_PROOF', {
    headers: UNAUTHORIZED,
    holder: 'proves nothing',
  }),
  row('window', 10, 'refresh.limited', 429, 'RATE_LIMIT_EXCEEDED', {
    headers: { 'retry-after': '86400' },
    holder: 'is full',
  }),
  row('enrolment', 11, 'refresh.no_enrolment', 404, 'NO_SIGNUP_RECORD', { holder: 'is revoked' }),
  row('binding', 12, 'refresh.sub_mismatch', 400, 'SUB_MISMATCH', { holder: 'is bound to another' }),
  row('package', 13, 'refresh.package_invalid', 400, 'PCP_VALIDATION_FAILED', {
    change: (draft) => {
      const manifest = draft.fields['hashes.json'] as Uint8Array;
      return withParts(draft, { 'hashes.sign': signManifest(manifest, STRANGER) });
    },
  }),
];

/** All pairs of rows, the earlier one first. */
export const CHECK_PAIRS: readonly { readonly first: CheckRow; readonly second: CheckRow }[] =
  CHECK_ROWS.flatMap((first, index) => CHECK_ROWS.slice(index + 1).map((second) => ({ first, second })));
