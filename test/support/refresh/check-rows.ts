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

/** Faults, in the order of the checks. */
export const CHECK_ROWS: readonly CheckRow[] = [
  {
    row: 'method',
    code: 'http.method_not_allowed',
    status: 405,
    error: 'METHOD_NOT_ALLOWED',
    headers: { allow: 'POST' },
    change: (draft) => ({ ...draft, method: 'PUT' }),
  },
  // the retry time is a choice of the service: operators flip the switch by hand, and known wallets wait as
  // long
  {
    row: 'enabled',
    check: 1,
    code: 'refresh.disabled',
    status: 503,
    headers: { 'retry-after': '60' },
    node: 'disabled',
  },
  {
    row: 'media-type',
    check: 2,
    code: 'refresh.media_type',
    status: 415,
    error: 'UNSUPPORTED_MEDIA_TYPE',
    change: (draft) => ({ ...draft, contentType: 'application/x-www-form-urlencoded' }),
  },
  {
    row: 'body-size',
    check: 3,
    code: 'http.body_too_large',
    status: 413,
    error: 'PAYLOAD_TOO_LARGE',
    change: (draft) => ({ ...draft, announcedBytes: 1_048_577 }),
  },
  {
    row: 'form',
    check: 4,
    code: 'refresh.malformed_body',
    status: 400,
    error: 'INVALID_REQUEST',
    change: (draft) => ({ ...draft, edit: (body) => body.subarray(0, -8) }),
  },
  {
    row: 'form, user id',
    check: 4,
    code: 'refresh.user_id_too_long',
    status: 400,
    error: 'INVALID_REQUEST',
    change: (draft) => withParts(draft, { encrypted_user_id: 'x'.repeat(4097) }),
  },
  {
    row: 'sub',
    check: 5,
    code: 'refresh.sub_invalid',
    status: 400,
    error: 'INVALID_SUB',
    // exceeds the limit of the part too, which does not apply to sub
    change: (draft) => withParts(draft, { sub: `0x${'1'.repeat(65)}` }),
  },
  {
    row: 'id-comm',
    check: 6,
    code: 'refresh.id_comm_invalid',
    status: 400,
    error: 'INVALID_ID_COMM',
    change: (draft) => ({ ...draft, query: `${draft.query}&${draft.query}` }),
  },
  {
    row: 'proof-header',
    check: 7,
    code: 'refresh.proof_unreadable',
    status: 401,
    error: 'UNAUTHORIZED',
    headers: UNAUTHORIZED,
    change: (draft) => ({ ...draft, headers: {} }),
  },
  {
    row: 'proof-attempts',
    check: 8,
    code: 'http.rate_limited',
    status: 429,
    error: 'RATE_LIMIT_EXCEEDED',
    headers: { 'retry-after': String(SECONDS_TO_MINUTE) },
    node: 'tight',
  },
  {
    row: 'holder-proof',
    check: 9,
    code: 'refresh.proof_invalid',
    status: 401,
    error: 'INVALID_PROOF',
    headers: UNAUTHORIZED,
    holder: 'proves nothing',
  },
  {
    row: 'window',
    check: 10,
    code: 'refresh.limited',
    status: 429,
    error: 'RATE_LIMIT_EXCEEDED',
    headers: { 'retry-after': '86400' },
    holder: 'is full',
  },
  {
    row: 'enrolment',
    check: 11,
    code: 'refresh.no_enrolment',
    status: 404,
    error: 'NO_SIGNUP_RECORD',
    holder: 'is revoked',
  },
  {
    row: 'binding',
    check: 12,
    code: 'refresh.sub_mismatch',
    status: 400,
    error: 'SUB_MISMATCH',
    holder: 'is bound to another',
  },
  {
    row: 'package',
    check: 13,
    code: 'refresh.package_invalid',
    status: 400,
    error: 'PCP_VALIDATION_FAILED',
    change: (draft) => {
      const manifest = draft.fields['hashes.json'] as Uint8Array;
      return withParts(draft, { 'hashes.sign': signManifest(manifest, STRANGER) });
    },
  },
];

/** All pairs of rows, the earlier one first. */
export const CHECK_PAIRS: readonly { readonly first: CheckRow; readonly second: CheckRow }[] =
  CHECK_ROWS.flatMap((first, index) => CHECK_ROWS.slice(index + 1).map((second) => ({ first, second })));
