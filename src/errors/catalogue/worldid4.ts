/** Errors of World ID 4.0 requests and their items, in addition to those of the verification interface. */
export const WORLDID4_ERRORS = {
  'verify.protocol_version_not_allowed': {
    title: 'The relying party does not accept this protocol version',
    cause: 'min_protocol_version is "4.0", and the request is of protocol_version "3.0".',
    cure: 'Make a World ID 4.0 proof, or lower min_protocol_version: it is a choice of the relying party, not of the client.',
    retry: 'never',
    verify: {
      status: 400,
      code: 'protocol_version_not_allowed',
      detail: 'The protocol version is not allowed.',
      attribute: 'protocol_version',
    },
  },
  'verify.issuer_unrecognized': {
    title: 'A credential issuer is not on the list of those that count',
    cause: 'The issuer_schema_id of an item is not in verify.worldid4.issuers of the environment.',
    cure: 'Check environment and issuer_schema_id; an operator can add an issuer to the list after judging it, since anyone can register one on the chain.',
    retry: 'never',
    verify: {
      status: 400,
      code: 'unrecognized_credential_issuer',
      detail:
        'The credential issuer is not recognized by World ID. Only credentials issued by recognized issuers can be verified.',
    },
  },
  'verify.bound_sessions_off': {
    title: 'Proofs of uniqueness that are bound to a session are not accepted',
    cause:
      'The request has proof_type "uniqueness" and a session_id, and verify.worldid4.boundSessions is off.',
    cure: 'Have the operator switch it on, or ask the wallet for a proof without a session. A bound proof does not verify as an unbound one.',
    retry: 'never',
    verify: {
      status: 400,
      code: 'bound_proofs_not_allowed',
      detail: 'Uniqueness proofs that are bound to a session are not accepted.',
      attribute: 'proof_type',
    },
  },
  'verify.nullifiers_differ': {
    title: 'The items of a World ID 4.0 request have different nullifiers',
    cause:
      'All items of an answer of one World ID have one nullifier, in a session one session_nullifier; other values are of other accounts.',
    cure: 'Send the items of one answer of a wallet, unchanged; send the proofs of two people in two requests.',
    retry: 'never',
    verify: {
      status: 400,
      code: 'nullifiers_differ',
      detail: 'The items of a request must have one nullifier: these are of different World IDs.',
    },
  },
  'verify.worldid_key_missing': {
    title: 'There is no usable verifying key for World ID 4.0 proofs of the environment',
    cause:
      'verify.worldid4.key.<environment> names no key, or one that cannot be used; the log has the reason.',
    cure: 'Set it to worldid4 or another key of 15 public inputs that `proofgate vkey list` shows.',
    retry: 'never',
    verify: { status: 400, code: 'configuration_error' },
  },
  'worldid_item.number': {
    title: 'A member of a World ID 4.0 item is not a number, or a session id is malformed',
    cause:
      'A nullifier, nonce, signal_hash, session_id or word of the proof is neither 0x and 1 to 64 hex digits nor a decimal number below 2^256; or a session_id begins with session_ without 128 hex digits after it.',
    cure: 'Send the values that IDKit returned unchanged.',
    retry: 'never',
    verifyItem4: { code: 'verification_error' },
  },
  'worldid_item.action_domain': {
    title: 'The action of a session proof is not one of sessions',
    cause: 'The top byte of session_nullifier[1] is not 0x02: it is a proof of another kind.',
    cure: 'Send session_nullifier as IDKit returned it.',
    retry: 'never',
    verifyItem4: { code: 'verification_failed', detail: 'The action is invalid.' },
  },
  'worldid_item.commitment_zero': {
    title: 'The session id has commitment 0',
    cause: 'With commitment 0 any person can make the proof, so it does not show who made it.',
    cure: 'Send the session_id of the session.',
    retry: 'never',
    verifyItem4: { code: 'verification_failed', detail: 'The session id is invalid.' },
  },
  'worldid_item.seed_domain': {
    title: 'The session id of a bound proof has an OPRF seed of another domain',
    cause:
      'The top byte of the second half of the session_id is not 0x01, so no wallet could prove this session later.',
    cure: 'Send the session_id of the answer unchanged.',
    retry: 'never',
    verifyItem4: { code: 'verification_failed', detail: 'The session id is invalid.' },
  },
  'worldid_item.root_unknown': {
    title: 'The root of a World ID 4.0 proof is not in the registry',
    cause: 'The root was never added to the tree account of this environment, or was pruned.',
    cure: 'Check the environment of the request, and that the root source is not behind.',
    retry: 'never',
    verifyItem4: { code: 'invalid_root', detail: 'The authenticator root is not valid.' },
  },
  'worldid_item.root_too_old': {
    title: 'The root of a World ID 4.0 proof was superseded too long ago',
    cause: 'More than verify.worldid4.rootWindowSeconds passed since another root became current.',
    cure: 'Make a new proof against the current root.',
    retry: 'never',
    verifyItem4: { code: 'invalid_root', detail: 'The authenticator root is not valid.' },
  },
  'worldid_item.issuer_without_key': {
    title: 'The credential issuer has no key',
    cause: 'The issuer is on the list of those that count, but its key was not added, or was removed.',
    cure: 'Add it with `proofgate issuers add`; `proofgate issuers list` shows the known ones.',
    retry: 'never',
    verifyItem4: { code: 'invalid_credential_issuer', detail: 'The credential issuer is not registered.' },
  },
  'worldid_item.oprf_key_missing': {
    title: 'The relying party has no OPRF key',
    cause: 'No OPRF key of the rp_id of this app was added for the environment, or it was removed.',
    cure: 'Add it with `proofgate oprf-keys add`, and check the rp_id of the app.',
    retry: 'never',
    verifyItem4: { code: 'verification_failed', detail: 'The relying party has no OPRF key.' },
  },
  'worldid_item.bound_too_old': {
    title: 'The bound expires_at_min is too long ago',
    cause:
      'The proof shows that the credential ends after expires_at_min, which was more than verify.worldid4.minExpirationThresholdSeconds ago.',
    cure: 'Make a new proof.',
    retry: 'never',
    verifyItem4: { code: 'verification_failed', detail: 'The expiration bound is too old.' },
  },
} as const;
