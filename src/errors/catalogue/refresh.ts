import { REFRESH_INTERNAL } from '../spec.ts';

/** Refusals of credential refresh (spec/refresh.md#errors). */
export const REFRESH_ERRORS = {
  'refresh.disabled': {
    title: 'Credential refresh is disabled',
    cause: 'The setting refresh.enabled is false, or an operator switched refresh off.',
    cure: 'Set it to true, or `proofgate refresh enable`.',
    retry: 'later',
    refresh: { status: 503, text: 'Credential refresh is disabled' },
    isIntended: true,
  },
  'refresh.media_type': {
    title: 'The body is not multipart/form-data',
    cause: 'Content-Type is missing or is not multipart/form-data.',
    cure: 'Send the fields as multipart/form-data.',
    retry: 'never',
    refresh: {
      status: 415,
      error: 'UNSUPPORTED_MEDIA_TYPE',
      text: 'The content type must be multipart/form-data',
    },
  },
  'refresh.malformed_body': {
    title: 'The body is not well-formed multipart/form-data',
    cause:
      'The boundary is missing or malformed, the body ends before its last boundary, a part has no name, a text is not UTF-8, or there are too many parts.',
    cure: 'Let a library write the body; the message says what is wrong.',
    retry: 'never',
    refresh: { status: 400, error: 'INVALID_REQUEST' },
  },
  'refresh.duplicate_part': {
    title: 'A part was sent twice',
    cause: 'Two readers could pick different ones.',
    cure: 'Send each part once.',
    retry: 'never',
    refresh: { status: 400, error: 'INVALID_REQUEST' },
  },
  'refresh.user_id_too_long': {
    title: 'encrypted_user_id is too long',
    cause: 'The form field encrypted_user_id has more than 4,096 bytes.',
    cure: 'Send a shorter one, or leave it out.',
    retry: 'never',
    refresh: { status: 400, error: 'INVALID_REQUEST' },
  },
  'refresh.sub_invalid': {
    title: 'sub is missing or invalid',
    cause:
      'The form field sub is absent, not 0x and 1 to 64 hex digits, zero, or not below the scalar order r.',
    cure: 'Send the blinded subject of the holder for this issuer.',
    retry: 'never',
    refresh: { status: 400, error: 'INVALID_SUB' },
  },
  'refresh.id_comm_invalid': {
    title: 'idComm is missing, repeated or invalid',
    cause:
      'The query parameter idComm is absent, repeated, not 0x and 1 to 64 hex digits, zero, or not below the scalar order r.',
    cure: 'Send the identity commitment of the holder once.',
    retry: 'never',
    refresh: { status: 400, error: 'INVALID_ID_COMM' },
  },
  'refresh.proof_unreadable': {
    title: 'The header x-zkp-proof is missing or cannot be decoded',
    cause:
      'It is absent, repeated, too long, not base64 of a JSON object, or a member is missing or malformed.',
    cure: 'Send base64 of the JSON object of spec/refresh.md#proof-header.',
    retry: 'never',
    refresh: { status: 401, error: 'UNAUTHORIZED' },
  },
  'refresh.proof_invalid': {
    title: 'The holder proof does not hold for this request',
    cause: 'The proof is false, or it is for another idComm, sub, external nullifier or challenge.',
    cure: 'Make a proof for exactly this idComm, sub and external nullifier, and for a new challenge if one is required.',
    retry: 'never',
    refresh: {
      status: 401,
      error: 'INVALID_PROOF',
      text: 'The proof does not hold for this request',
    },
  },
  'refresh.limited': {
    title: 'The holder has reached the limit of credentials for the window',
    cause: 'rateLimits.refreshPerIdComm credentials were issued in rateLimits.refreshWindowSeconds.',
    cure: 'Wait for the time of Retry-After.',
    retry: 'later',
    refresh: {
      status: 429,
      error: 'RATE_LIMIT_EXCEEDED',
      text: 'Too many refreshes of this identity, please try again later',
    },
  },
  'refresh.no_enrolment': {
    title: 'No active enrolment record for the identity',
    cause: 'The idComm was never imported, or its record was revoked.',
    cure: 'Enrol again. An operator imports records with `proofgate signups import`.',
    retry: 'never',
    refresh: {
      status: 404,
      error: 'NO_SIGNUP_RECORD',
      text: 'There is no active enrolment of this identity',
    },
  },
  'refresh.sub_mismatch': {
    title: 'The identity is bound to another sub',
    cause: 'The first refresh of an idComm binds it to its sub permanently.',
    cure: 'Send the sub of the first refresh.',
    retry: 'never',
    refresh: {
      status: 400,
      error: 'SUB_MISMATCH',
      text: 'The identity is bound to another sub',
    },
  },
  'refresh.package_invalid': {
    title: 'The custody package is incomplete or wrong',
    cause:
      'A part is missing, empty, malformed or longer than any orb writes it, or the parts contradict each other or the request. The message names the rule and the part.',
    cure: 'Send the package exactly as the orb made it, or none of its parts for a refresh without it.',
    retry: 'never',
    refresh: { status: 400, error: 'PCP_VALIDATION_FAILED' },
  },
  'refresh.signature_fault': {
    title: 'A new signature does not verify',
    cause:
      'The signature that a worker made does not verify under its own key: a memory or hardware fault. Nothing was issued.',
    cure: 'Take the machine out of service and test its memory.',
    retry: 'later',
    refresh: REFRESH_INTERNAL as typeof REFRESH_INTERNAL,
  },
} as const;
