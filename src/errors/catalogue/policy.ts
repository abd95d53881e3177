/** Refusals by the verification policy of an app (spec/verification.md#verification-policy). */
export const POLICY_ERRORS = {
  'policy.environment_not_allowed': {
    title: 'The app does not accept proofs of this environment',
    cause:
      'The environment of the proof is not one that the verification policy of the app accepts. Anybody can make staging identities, so a production app accepts none by default.',
    cure: 'Make the proof in an environment of the policy, which `proofgate apps show` prints, or have the operator change it with `proofgate apps update ID --policy JSON`.',
    retry: 'never',
    verify: { status: 400, code: 'environment_not_allowed', attribute: 'environment' },
    signin: {
      status: 400,
      error: 'unauthorized_client',
      code: 'environment_not_allowed',
      text: 'The policy of the app does not allow proofs of the environment of its client_id.',
    },
  },
  'policy.protocol_not_allowed': {
    title: 'The app does not accept proofs of this protocol version',
    cause: 'The protocol version of the proof is not one that the verification policy of the app accepts.',
    cure: 'Make the proof with a protocol version of the policy, which `proofgate apps show` prints, or have the operator change it.',
    retry: 'never',
    verify: { status: 400, code: 'protocol_version_not_allowed', attribute: 'protocol_version' },
    signin: {
      status: 400,
      error: 'unauthorized_client',
      code: 'protocol_version_not_allowed',
      text: 'The policy of the app does not allow proofs of World ID 3.0, which sign-in takes.',
    },
  },
  'policy.action_not_allowed': {
    title: 'The app does not accept this action',
    cause:
      'The verification policy of the app has a closed list of actions, and the action of the request is not on it. A session proof has no action: the empty text stands for it.',
    cure: 'Send an action of the policy, which `proofgate apps show` prints, or have the operator add it.',
    retry: 'never',
    verify: { status: 400, code: 'action_not_allowed', attribute: 'action' },
  },
  'policy.credential_not_allowed': {
    title: 'The app does not accept this credential',
    cause: 'The credential of a proof is not one that the verification policy of the app accepts.',
    cure: 'Ask the wallet for a credential of the policy, which `proofgate apps show` prints, or have the operator add this one.',
    retry: 'never',
    verify: { status: 400, code: 'credential_not_allowed' },
    signin: {
      status: 400,
      error: 'unauthorized_client',
      code: 'credential_not_allowed',
      text: 'The policy of the app does not allow this credential for sign-in.',
    },
  },
  'policy.session_proof_reused': {
    title: 'The app does not accept a session proof again',
    cause:
      'A proof with this session_nullifier was accepted before, and the verification policy of the app has sessionProofReuse off.',
    cure: 'Ask the wallet for a new proof of the session, with a new nonce.',
    retry: 'never',
    verify: {
      status: 400,
      code: 'session_proof_reused',
      detail: 'This app does not accept a session proof again.',
    },
  },
  'policy.sandbox_refused': {
    title: 'The environment sandbox is not accepted here',
    cause:
      'The request is of the environment sandbox, whose identities are made for tests, and the setting verify.sandbox does not map it to staging.',
    cure: 'Send proofs of production or staging, or set verify.sandbox to "staging" on an installation for tests.',
    retry: 'never',
    verify: {
      status: 400,
      code: 'environment_not_allowed',
      detail: 'The environment sandbox is not accepted here: its identities are made for tests.',
      attribute: 'environment',
    },
  },
} as const;
