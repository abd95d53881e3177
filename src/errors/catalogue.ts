/** How a whole request of the verification interface is refused (verification body, `spec` verify.md 1.1). */
export interface VerifyAnswer {
  readonly status: number;
  readonly code: string;
  /** Fixed text, or absent where the message of the thrown error is the detail. */
  readonly detail?: string;
  readonly attribute?: string;
}

/** How one item of a verification request is refused (verify.md section 3). */
export interface VerifyItemAnswer {
  readonly code: string;
  readonly detail: string;
  readonly attribute?: string;
}

/** One cause of failure: feeds the response, the metrics label, the exit code and the docs page. */
export interface ErrorSpec {
  readonly title: string;
  readonly cause: string;
  readonly cure: string;
  /** Whether the same call can succeed later without being changed. */
  readonly retry: 'never' | 'later';
  readonly verify?: VerifyAnswer;
  readonly verifyItem?: VerifyItemAnswer;
  /** Process exit code of a command that ends with this error; 1 where absent. */
  readonly exit?: 1 | 2 | 69 | 75 | 78;
}

const LONG_INVALID_PROOF =
  'The provided proof is invalid and it cannot be verified. Please check all inputs and try again.';
const PROVER_ERROR = {
  code: 'prover_error',
  detail: 'The prover encountered an error while verifying the proof. Please try again.',
} as const;
const NOT_A_UINT256 = 'This attribute is improperly formatted. Expected an ABI-encoded uint256.';
const INTERNAL_ITEM = {
  code: 'internal_error',
  detail: 'There was an internal issue verifying this proof.',
} as const;
const UNAVAILABLE = {
  status: 503,
  code: 'service_unavailable',
  detail: 'The service is temporarily unavailable. Please try again.',
} as const;
const QUEUE_FULL = {
  status: 503,
  code: 'engine_busy',
  detail: 'The verification queue is full. Please try again later.',
} as const;

const HTTP_ERRORS = {
  'http.not_found': {
    title: 'No such path',
    cause: 'The path is not one of this listener. Paths are matched byte for byte.',
    cure: 'Check the path, a trailing slash and percent-encoding included.',
    retry: 'never',
    verify: { status: 404, code: 'not_found', detail: 'Not found.' },
  },
  'http.method_not_allowed': {
    title: 'The path exists with another method',
    cause: 'The method is not among those of the Allow header.',
    cure: 'Use a method that the Allow header lists.',
    retry: 'never',
    verify: { status: 405, code: 'method_not_allowed' },
  },
  'http.repeated_header': {
    title: 'A header that must be single was sent twice',
    cause:
      'Host, Authorization or Content-Type arrived more than once; proxies and servers would disagree on which one counts.',
    cure: 'Send the header once.',
    retry: 'never',
    verify: {
      status: 400,
      code: 'invalid_request',
      detail: 'A header that must be sent once was repeated.',
    },
  },
  'http.malformed_path': {
    title: 'The path holds a malformed percent escape',
    cause: 'A percent sign is not followed by two hex digits, or the bytes are not UTF-8.',
    cure: 'Percent-encode the path once, as UTF-8.',
    retry: 'never',
    verify: {
      status: 400,
      code: 'invalid_request',
      detail: 'The request path is malformed.',
    },
  },
  'http.unavailable': {
    title: 'The service takes no new requests now',
    cause: 'It is draining before a stop, too many requests are open, or the store does not answer.',
    cure: 'Repeat the request after the time of Retry-After. See /health/ready on the admin listener for the cause.',
    retry: 'later',
    verify: UNAVAILABLE,
  },
  'http.handler_timeout': {
    title: 'The handler did not answer in time',
    cause: 'The request took longer than http.handlerTimeoutMs.',
    cure: 'Repeat the request; if it happens often, look at store and engine times in /metrics.',
    retry: 'later',
    verify: UNAVAILABLE,
  },
  'http.rate_limited': {
    title: 'Too many requests from this address',
    cause: 'The address used up its allowance (verify.rateLimitPerSecond, verify.rateLimitBurst).',
    cure: 'Wait for the time of Retry-After.',
    retry: 'later',
    verify: {
      status: 429,
      code: 'rate_limit_exceeded',
      detail: 'Too many requests. Please try again later.',
    },
  },
  'http.unauthenticated': {
    title: 'The admin token is missing or wrong',
    cause: 'The call needs Authorization: Bearer and the token of admin.token.',
    cure: 'Send the token, or set metrics.requireToken to false where only trusted hosts reach the listener.',
    retry: 'never',
  },
  'http.body_too_large': {
    title: 'The request body is over its limit',
    cause: 'Content-Length or the bytes received exceed the limit of the route.',
    cure: 'Send fewer items in one request, or raise the limit setting of the route.',
    retry: 'never',
    verify: { status: 413, code: 'payload_too_large' },
  },
  'internal.unforeseen': {
    title: 'A fault of ours',
    cause: 'The service met a state that it does not expect. The log line with the request id has the cause.',
    cure: 'Report it with the X-Request-Id of the answer.',
    retry: 'later',
    verify: {
      status: 500,
      code: 'internal_error',
      detail: 'Internal server error.',
    },
    verifyItem: INTERNAL_ITEM,
  },
} as const satisfies Record<string, ErrorSpec>;

const VERIFY_ERRORS = {
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
    title: 'The body does not fit the schema',
    cause: 'A field is missing, has the wrong type or is out of bounds; detail and attribute name it.',
    cure: 'Correct the field that attribute names.',
    retry: 'never',
    verify: { status: 400, code: 'validation_error' },
  },
  'verify.invalid_id': {
    title: 'The id in the path has no known form',
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
      detail: 'This app has not been migrated to World ID 4.0. Please use the v2 verify endpoint.',
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
    cause: 'Each item failed; results gives the code of each.',
    cure: 'Look the codes of results up in this list.',
    retry: 'never',
    verify: {
      status: 400,
      code: 'all_verifications_failed',
      detail: 'All proof verifications failed.',
    },
  },
  'verify.all_failed_internal': {
    title: 'No item verified, and a fault of ours is among the reasons',
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
    cause: 'The store refused the record for a reason of ours; the log has it.',
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
      detail: NOT_A_UINT256,
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
      detail: NOT_A_UINT256,
      attribute: 'merkle_root',
    },
  },
  'item.signal_hash_format': {
    title: 'The signal hash cannot be decoded',
    cause: 'It has more than 64 hex digits.',
    cure: 'Send 0x and 1 to 64 lower-case hex digits; `proofgate hash signal TEXT` computes it.',
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
} as const satisfies Record<string, ErrorSpec>;

const ENGINE_ERRORS = {
  'proof.length': {
    title: 'The proof is not 256 bytes',
    cause: 'A Groth16 proof has eight words of 32 bytes.',
    cure: 'Send 0x and exactly 512 hex digits.',
    retry: 'never',
    verifyItem: PROVER_ERROR,
  },
  'proof.decompression': {
    title: 'The compressed proof does not decompress',
    cause: 'Words 4 to 7 are zero, so that the proof is read as compressed, and no point has that form.',
    cure: 'Compress the proof again, or send it uncompressed.',
    retry: 'never',
    verifyItem: { code: 'invalid_proof', detail: LONG_INVALID_PROOF },
  },
  'proof.coordinate_range': {
    title: 'A coordinate of the proof is not below p',
    cause: 'A word of the proof is at least the base field order of BN254.',
    cure: 'Send each coordinate reduced; check the order of the words.',
    retry: 'never',
    verifyItem: PROVER_ERROR,
  },
  'proof.point_not_on_curve': {
    title: 'A point of the proof is not on its curve',
    cause: 'The coordinates of A, B or C do not satisfy the curve equation.',
    cure: 'Check the order of the words: G2 coordinates are written c1 before c0.',
    retry: 'never',
    verifyItem: PROVER_ERROR,
  },
  'proof.point_not_in_subgroup': {
    title: 'B is outside the r-order subgroup of G2',
    cause: 'B is on the twist but not of order r; no honest prover makes such a point.',
    cure: 'Make a new proof.',
    retry: 'never',
    verifyItem: PROVER_ERROR,
  },
  'input.count': {
    title: 'The number of public inputs is not that of the key',
    cause: 'The key has another number of public inputs.',
    cure: 'Send exactly as many inputs as `proofgate vkey list` shows for the key.',
    retry: 'never',
    verifyItem: PROVER_ERROR,
  },
  'input.range': {
    title: 'A public input is not below r',
    cause: 'A value is at least the scalar field order of BN254, or not 0x and 1 to 64 hex digits.',
    cure: 'Send each input reduced: one value has one spelling.',
    retry: 'never',
    verifyItem: PROVER_ERROR,
  },
  'proof.false': {
    title: 'The proof does not hold for these inputs',
    cause:
      'The proof is well formed, but its equation is false: another root, nullifier, signal, app or action.',
    cure: 'Check that signal_hash, action and app are those that the proof was made for.',
    retry: 'never',
    verifyItem: {
      code: 'invalid_proof',
      detail: 'The provided proof is invalid.',
    },
  },
  'engine.busy': {
    title: 'The verification queue is full',
    cause: 'engine.maxQueue proofs wait already.',
    cure: 'Repeat the request after the time of Retry-After; add workers or nodes if it happens often.',
    retry: 'later',
    verify: QUEUE_FULL,
    exit: 75,
  },
  'engine.draining': {
    title: 'The engine is closing',
    cause: 'The service is stopping and takes no new work.',
    cure: 'Repeat the request; another process answers it.',
    retry: 'later',
    verify: UNAVAILABLE,
    verifyItem: INTERNAL_ITEM,
    exit: 75,
  },
  'engine.poison': {
    title: 'This proof ended more than one worker',
    cause: 'A worker thread died twice while it checked this proof, so that it is not tried again.',
    cure: 'Report it with the X-Request-Id of the answer: it is a fault of ours.',
    retry: 'never',
    verifyItem: INTERNAL_ITEM,
  },
  'engine.cancelled': {
    title: 'The caller gave the verification up',
    cause: 'The client closed its connection or the deadline passed before the proof was checked.',
    cure: 'Repeat the request.',
    retry: 'later',
    verifyItem: INTERNAL_ITEM,
  },
  'engine.key_unknown': {
    title: 'No verifying or signing key with this id is registered',
    cause: 'The id names no key of the engine.',
    cure: 'Import it with `proofgate vkey import`, or use an id that `proofgate vkey list` shows.',
    retry: 'never',
    verifyItem: INTERNAL_ITEM,
  },
  'engine.backend_unavailable': {
    title: 'The chosen backend does not load',
    cause:
      'engine.backend is native and the addon is missing, or built for another platform, or fails its vectors.',
    cure: 'Build it with `npm run build:native`, or set engine.backend to auto or wasm.',
    retry: 'never',
    exit: 78,
  },
  'engine.self_test_failed': {
    title: 'A backend gives a wrong answer on its own vectors',
    cause: 'The built crypto module and its vectors disagree: a damaged file or faulty hardware.',
    cure: 'Build again; if it stays, check the memory of the machine.',
    retry: 'never',
    exit: 78,
  },
  'engine.worker_failed': {
    title: 'The workers of the engine cannot start',
    cause: 'A worker thread ended before it took work; the message has the reason.',
    cure: 'Run `proofgate doctor`.',
    retry: 'never',
    exit: 69,
  },
  'hash.input': {
    title: 'The input of a hash has a wrong shape',
    cause: 'The width, the number of elements, the size or the range of the input is not one the hash takes.',
    cure: 'Correct the input; the message names what was expected.',
    retry: 'never',
  },
  'signing_key.length': {
    title: 'A signing seed is not 32 bytes',
    cause: 'EdDSA keys are derived from exactly 32 bytes.',
    cure: 'Give 32 bytes.',
    retry: 'never',
  },
} as const satisfies Record<string, ErrorSpec>;

const KEY_ERRORS = {
  'key.not_json': {
    title: 'The file is not a verifying key in snarkjs JSON',
    cause: 'It does not parse, or a member is missing or has a wrong form; the message names it.',
    cure: 'Export the key with `snarkjs zkey export verificationkey`.',
    retry: 'never',
  },
  'key.protocol': {
    title: 'The key is not for Groth16 over bn128',
    cause: 'protocol, curve, q or r of the file name another system.',
    cure: 'Use a Groth16 key over bn128 (BN254).',
    retry: 'never',
  },
  'key.input_count': {
    title: 'The IC points do not fit nPublic',
    cause: 'A key has nPublic + 1 IC points, and at most 1024 public inputs.',
    cure: 'Export the key again.',
    retry: 'never',
  },
  'key.length': {
    title: 'The verifying key has a wrong length',
    cause: 'A key is 448 bytes and 64 for each IC point, at least one and at most 1025.',
    cure: 'Export the key again.',
    retry: 'never',
  },
  'key.coordinate_range': {
    title: 'A coordinate of the verifying key is not below p',
    cause: 'The named point has a coordinate outside the base field.',
    cure: 'Get the key again from its source.',
    retry: 'never',
  },
  'key.point_not_on_curve': {
    title: 'A point of the verifying key is not on its curve',
    cause: 'The named point does not satisfy the curve equation.',
    cure: 'Get the key again from its source.',
    retry: 'never',
  },
  'key.point_not_in_subgroup': {
    title: 'A G2 point of the verifying key is outside the r-order subgroup',
    cause: 'The named point is on the twist but not of order r.',
    cure: 'Do not use this key.',
    retry: 'never',
  },
  'key.point_at_infinity': {
    title: 'α, β, γ or δ of the verifying key is the point at infinity',
    cause: 'Such a key accepts forgeries.',
    cure: 'Do not use this key.',
    retry: 'never',
  },
  'key.forbidden': {
    title: 'Anyone can forge proofs under this key',
    cause: 'The key is a test or development key (by origin or fingerprint), and the profile is production.',
    cure: 'Use a key of a real ceremony.',
    retry: 'never',
    exit: 78,
  },
  'key.conflict': {
    title: 'Another key has this id',
    cause: 'A key with this id and another fingerprint exists; a key never changes under its id.',
    cure: 'Choose another id.',
    retry: 'never',
  },
  'key.unsupported_file': {
    title: 'The file form is not supported',
    cause: 'Only snarkjs JSON is read.',
    cure: 'Export the key with `snarkjs zkey export verificationkey`.',
    retry: 'never',
  },
} as const satisfies Record<string, ErrorSpec>;

const REGISTRY_ERRORS = {
  'root.invalid': {
    title: 'A root line or option has a wrong value',
    cause: 'The message names the line and the member.',
    cure: 'Correct the value; nothing was kept.',
    retry: 'never',
  },
  'app.invalid': {
    title: 'A field of the app has a wrong value',
    cause: 'The message names the field and the rule.',
    cure: 'Correct the value.',
    retry: 'never',
  },
  'app.exists': {
    title: 'The app exists already',
    cause: 'Another app has this app_id or the rp_id derived from it.',
    cure: 'Choose another id, or change the existing app.',
    retry: 'never',
  },
  'app.unknown': {
    title: 'No app with this id',
    cause: 'The id is neither an app_id nor an rp_id of the registry.',
    cure: 'See `proofgate apps list`.',
    retry: 'never',
  },
  'entry.malformed': {
    title: 'An entry of a proof file cannot be read',
    cause: 'It is not JSON, or lacks inputs or proof.',
    cure: 'Give the members of the proof data, or {"inputs": […], "proof": "0x…"} a line.',
    retry: 'never',
  },
} as const satisfies Record<string, ErrorSpec>;

const OPERATION_ERRORS = {
  'cli.usage': {
    title: 'The command line is wrong',
    cause: 'An unknown command or option, or a missing or wrong value; the message names it.',
    cure: 'See `proofgate help`.',
    retry: 'never',
    exit: 2,
  },
  'cli.refused': {
    title: 'The command was not confirmed',
    cause: 'A command that destroys asks first, and no --yes was given.',
    cure: 'Confirm it, or give --yes.',
    retry: 'never',
  },
  'config.invalid': {
    title: 'The configuration has faults',
    cause: 'The message lists each with key, variable, expected and found value and origin.',
    cure: 'Correct all of them; `proofgate config explain` shows what is in force.',
    retry: 'never',
    exit: 78,
  },
  'config.production_refused': {
    title: 'The production profile refuses to start',
    cause: 'The message lists each unsafe or missing setting.',
    cure: 'Correct all of them.',
    retry: 'never',
    exit: 78,
  },
  'config.exposed_development': {
    title: 'The development profile would face a network',
    cause: 'server.host is not a loopback address while made-up keys and test data are in use.',
    cure: 'Use profile production, a loopback host, or set server.allowExposedDevelopment.',
    retry: 'never',
    exit: 78,
  },
  'server.port_in_use': {
    title: 'The port is in use',
    cause: 'Another process listens there.',
    cure: 'Stop it, or choose another port; 0 takes a free one.',
    retry: 'later',
    exit: 75,
  },
  'server.locked': {
    title: 'Another server runs on this data folder',
    cause: 'A second `serve` on one folder would split limits and caches.',
    cure: 'Stop the other server, or give another dataDir.',
    retry: 'later',
    exit: 75,
  },
  'server.not_ready': {
    title: 'The service is not ready',
    cause: '/healthz answered 503 or not at all.',
    cure: 'See /health/ready on the admin listener.',
    retry: 'later',
  },
  'store.unreachable': {
    title: 'The store does not answer',
    cause: 'The database file cannot be opened or written, the disk is full, or the writer ended.',
    cure: 'Check path, permissions and free space; `proofgate doctor` names the cause.',
    retry: 'later',
    verify: UNAVAILABLE,
    verifyItem: INTERNAL_ITEM,
    exit: 69,
  },
  'store.failed': {
    title: 'The store refused a statement',
    cause: 'A statement failed for a reason that no retry changes; the log has it.',
    cure: 'Report it.',
    retry: 'never',
    verify: {
      status: 500,
      code: 'internal_error',
      detail: 'Internal server error.',
    },
    verifyItem: INTERNAL_ITEM,
  },
  'store.invalid_value': {
    title: 'A value cannot be stored',
    cause: 'Only text, finite numbers, big integers, bytes and null can be bound.',
    cure: 'Report it: it is a fault of ours.',
    retry: 'never',
  },
  'store.migrations_pending': {
    title: 'The store has not been migrated',
    cause: 'The program is newer than the tables, and production does not migrate by itself.',
    cure: 'Run `proofgate migrate up`, or start with --migrate.',
    retry: 'never',
    exit: 78,
  },
  'store.newer': {
    title: 'The store was migrated by a newer program',
    cause: 'The tables have a version that this program does not know, or a migration file changed.',
    cure: 'Run the newer program.',
    retry: 'never',
    exit: 78,
  },
} as const satisfies Record<string, ErrorSpec>;

/** The one list of error codes. A code, once released, keeps its meaning. */
export const ERRORS = {
  ...HTTP_ERRORS,
  ...VERIFY_ERRORS,
  ...ENGINE_ERRORS,
  ...KEY_ERRORS,
  ...REGISTRY_ERRORS,
  ...OPERATION_ERRORS,
} as const satisfies Record<string, ErrorSpec>;

/** A code of the catalogue, `area.cause`. */
export type ErrorCode = keyof typeof ERRORS;
