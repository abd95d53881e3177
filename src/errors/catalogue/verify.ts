import { NOT_A_UINT256 } from '../spec.ts';

/** Errors of the verification interface: of a request, and of one item. */
export const VERIFY_ERRORS = {
  'verify.invalid_json': {
    title: 'The body is not JSON',
    cause: 'The body is empty, not UTF-8, or does not parse as JSON.',
    cure: 'Send one JSON object, encoded as UTF-8 and not compressed.',
    retry: 'never',
    verify: {
      status: 400,
      code: 'invalid_request',
      detail: 'Invalid JSON in request body',
    },
  },
  'verify.schema': {
    title: 'The body does not match the schema',
    cause: 'A field is missing, has the wrong type or is out of bounds; detail and attribute name it.',
    cure: 'Correct the field that attribute names.',
    retry: 'never',
    verify: { status: 400, code: 'validation_error' },
  },
  'verify.invalid_id': {
    title: 'The id in the path is malformed',
    cause:
      'It is neither rp_ and 16 hex digits nor an id that begins with app_, or it is longer than 128 characters.',
    cure: 'Use the rp_id or app_id that `proofgate apps list` shows.',
    retry: 'never',
    verify: {
      status: 400,
      code: 'invalid_request',
      detail: 'Invalid ID format. Expected app_id (app_xxx) or rp_id (rp_xxx).',
      attribute: 'app_id',
    },
  },
  'verify.app_not_registered': {
    title: 'No app with this id is registered for verification',
    cause: 'The app does not exist, was removed, or its verification state is none.',
    cure: 'Add it with `proofgate apps add`, or set it with `proofgate apps update ID --verification registered`.',
    retry: 'never',
    verify: {
      status: 400,
      code: 'app_not_migrated',
      detail: 'This rp_id or app_id is unknown here: no app with it is registered for verification.',
    },
  },
  'verify.rp_not_active': {
    title: 'The registration of the app is not active',
    cause: 'The verification state of the app is pending, failed or deactivated.',
    cure: 'Set it with `proofgate apps update ID --verification registered`.',
    retry: 'never',
    verify: {
      status: 400,
      code: 'rp_not_active',
      detail: 'RP registration is not active.',
    },
  },
  'verify.app_disabled': {
    title: 'The app is disabled',
    cause: 'An operator disabled the app.',
    cure: 'Enable it with `proofgate apps enable ID`.',
    retry: 'never',
    verify: {
      status: 404,
      code: 'not_found',
      detail: 'App not found. App may be no longer active.',
    },
  },
  'verify.key_unknown': {
    title: 'No verifying key with this id is known',
    cause: 'The id in the path names neither a built-in key of the profile nor an imported one.',
    cure: 'Import the key with `proofgate vkey import`, or use an id that `proofgate vkey list` shows.',
    retry: 'never',
    verify: { status: 404, code: 'key_unknown', detail: 'No verifying key with this id is known.' },
  },
  'verify.integrity_required': {
    title: 'A credential of issuer 11 came without an integrity bundle of version 2',
    cause:
      'verify.worldid4.integrity is verify, and such a credential is worth only as much as the device that holds it.',
    cure: 'Pass on the integrity_bundle that the wallet returned; a wallet that makes none of version 2 is too old.',
    retry: 'never',
    verify: {
      status: 403,
      code: 'integrity_verification_failed',
      detail: 'Self Check 4.0 responses require an integrity bundle signed with version 2.',
      attribute: 'integrity_bundle',
    },
  },
  'verify.integrity_failed': {
    title: 'The integrity bundle does not hold for this request',
    cause:
      'It is too old, was made for another relying party, request or environment, or was already used for other responses; rule in the log line of the request names the cause.',
    cure: 'Send the bundle once, within 300 seconds and with the responses that came with it; if the cause is keys_unavailable, check verify.worldid4.attestation.',
    retry: 'never',
    verify: {
      status: 403,
      code: 'integrity_verification_failed',
      detail: 'Integrity bundle verification failed.',
      attribute: 'integrity_bundle',
    },
  },
  'verify.deadline': {
    title: 'Verification did not finish in time',
    cause: 'verify.deadlineMs passed before every item had an answer.',
    cure: 'Repeat the request; raise engine.workers or lower the load if it happens often.',
    retry: 'later',
    verify: {
      status: 503,
      code: 'engine_busy',
      detail: 'Verification did not finish in time. Please try again.',
    },
  },
  'verify.all_failed': {
    title: 'No item of the request verified',
    cause: 'Each item failed; results has the code of each.',
    cure: 'Look up the codes of results in this list.',
    retry: 'never',
    verify: {
      status: 400,
      code: 'all_verifications_failed',
      detail: 'All proof verifications failed.',
    },
  },
  'verify.all_failed_internal': {
    title: 'No item verified, and at least one met an internal error',
    cause:
      'At least one item met an internal error, so that the request as a whole says nothing about the person.',
    cure: 'Repeat the request.',
    retry: 'later',
    verify: {
      status: 500,
      code: 'internal_error',
      detail: 'Internal server error.',
    },
  },
  'verify.nullifier_store_unreachable': {
    title: 'The nullifier could not be stored: the store is not reachable',
    cause:
      'The proof verified, but the record could not be written because the store does not answer or is full.',
    cure: 'Repeat the request; look at store in /health/ready.',
    retry: 'later',
    verify: {
      status: 503,
      code: 'internal_error',
      detail: 'Failed to save nullifier.',
    },
  },
  'verify.nullifier_not_stored': {
    title: 'The nullifier could not be stored',
    cause: 'The store refused the record because of an internal error; the log has the reason.',
    cure: 'Report it with the X-Request-Id of the answer.',
    retry: 'later',
    verify: {
      status: 500,
      code: 'internal_error',
      detail: 'Failed to save nullifier.',
    },
  },
  'item.proof_format': {
    title: 'The proof text cannot be decoded',
    cause: 'It is neither 0x and 512 hex digits nor the JSON text of eight words.',
    cure: 'Send the eight words as one hex string; a compressed proof is padded with four zero words.',
    retry: 'never',
    verifyItem: {
      code: 'invalid_format',
      detail:
        'This attribute is improperly formatted. Expected either an ABI-encoded uint256[8] string or a JSON-encoded array string in the correct format.',
      attribute: 'proof',
    },
  },
  'item.nullifier_format': {
    title: 'The nullifier cannot be decoded',
    cause: 'It has no hex digits or more than 64.',
    cure: 'Send 0x and 1 to 64 hex digits.',
    retry: 'never',
    verifyItem: {
      code: 'invalid_format',
      detail: NOT_A_UINT256 as typeof NOT_A_UINT256,
      attribute: 'nullifier_hash',
    },
  },
  'item.merkle_root_format': {
    title: 'The Merkle root cannot be decoded',
    cause: 'It has no hex digits, other characters, or more than 64 digits.',
    cure: 'Send 0x and 1 to 64 hex digits.',
    retry: 'never',
    verifyItem: {
      code: 'invalid_format',
      detail: NOT_A_UINT256 as typeof NOT_A_UINT256,
      attribute: 'merkle_root',
    },
  },
  'item.signal_hash_format': {
    title: 'The signal hash cannot be decoded',
    cause: 'It has more than 64 hex digits.',
    cure: 'Send 0x and 1 to 64 hex digits; `proofgate hash signal TEXT` computes it.',
    retry: 'never',
    verifyItem: {
      code: 'invalid_format',
      detail: 'This attribute is improperly formatted. Expected an ABI-encoded uint256 or a string.',
      attribute: 'signal',
    },
  },
  'item.root_unknown': {
    title: 'The Merkle root is not in the registry',
    cause: 'The root was never added for this environment and tree, or was pruned.',
    cure: 'Add it with `proofgate roots add`, and check environment and identifier of the request.',
    retry: 'never',
    verifyItem: {
      code: 'invalid_merkle_root',
      detail: 'The provided Merkle root is invalid. User appears to be unverified.',
    },
  },
  'item.root_too_old': {
    title: 'The Merkle root is superseded and older than max_age',
    cause: 'max_age is the age of the root in seconds; the root is not current and was received longer ago.',
    cure: 'Make a new proof against the current root, or send a larger max_age (at most 604800).',
    retry: 'never',
    verifyItem: {
      code: 'root_too_old',
      detail: 'The provided merkle root is too old. Please generate a new proof and try again.',
    },
  },
} as const;
