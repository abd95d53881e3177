/** Errors of verifying keys. */
export const KEY_ERRORS = {
  'key.not_json': {
    title: 'The file is not a verifying key in snarkjs JSON',
    cause: 'It does not parse, or a member is missing or malformed; the message names it.',
    cure: 'Export the key with `snarkjs zkey export verificationkey`.',
    retry: 'never',
  },
  'key.not_zkey': {
    title: 'The file is not a complete proving key (zkey)',
    cause: 'It ends too early, or its sections have wrong sizes; the message names the place.',
    cure: 'Get the file again from its source.',
    retry: 'never',
  },
  'key.protocol': {
    title: 'The key is not for Groth16 over bn128',
    cause: 'protocol, curve, q or r of the file name another system.',
    cure: 'Use a Groth16 key over bn128 (BN254).',
    retry: 'never',
  },
  'key.input_count': {
    title: 'The number of IC points does not match nPublic',
    cause: 'A key has nPublic + 1 IC points, and at most 1024 public inputs.',
    cure: 'Export the key again.',
    retry: 'never',
  },
  'key.length': {
    title: 'The verifying key has a wrong length',
    cause: 'A key has 448 bytes and 64 more for each IC point, of which there are 1 to 1025.',
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
  'key.forgeable': {
    title: 'Points of the verifying key are known multiples of each other, so that anyone can forge proofs',
    cause:
      'The setup was not completed: without a contribution to phase 2, δ equals γ; without one to phase 1, α, β or γ are known multiples of a generator or of each other.',
    cure: 'Do not use this key. Complete the setup (`snarkjs zkey contribute`, then `zkey beacon`) and export the key again; if the key comes from somebody else, ask for the transcript and check it with `snarkjs zkey verify`.',
    retry: 'never',
  },
  'key.degenerate_inputs': {
    title: 'IC points of the verifying key are equal, opposite or at infinity',
    cause:
      'In a finished proof under such a key, public inputs can be changed or swapped; the message names them. Production refuses the key, other profiles warn.',
    cure: 'Constrain every public input in the circuit, repeat the setup and import its key.',
    retry: 'never',
  },
  'key.forbidden': {
    title: 'Anyone can forge proofs under this key',
    cause: 'The key is a test or development key (by origin or fingerprint), and the profile is production.',
    cure: 'Use a key of a real ceremony.',
    retry: 'never',
  },
  'key.conflict': {
    title: 'Another key has this id',
    cause: 'A key with this id and another fingerprint exists; a key never changes under its id.',
    cure: 'Choose another id.',
    retry: 'never',
  },
  'key.unsupported_file': {
    title: 'This installation cannot read this file format',
    cause: 'A zkey is read by development dependencies, and an installation for production has none.',
    cure: 'Export the key with `snarkjs zkey export verificationkey`.',
    retry: 'never',
  },
  'key.invalid': {
    title: 'A line or option of a World ID 4.0 key has a wrong value',
    cause: 'The message names the line and the member.',
    cure: 'Correct the value; nothing was stored.',
    retry: 'never',
  },
  'key.range': {
    title: 'A coordinate of a World ID 4.0 key is 0 or not below the scalar order r',
    cause: 'The key was not registered, or was copied incompletely.',
    cure: 'Get the key again from its source; nothing was stored.',
    retry: 'never',
  },
  'key.not_on_curve': {
    title: 'A World ID 4.0 key is not on BabyJubJub',
    cause: 'The coordinates do not satisfy the curve equation: they were mistyped, or x and y were swapped.',
    cure: 'Get the key again from its source; nothing was stored.',
    retry: 'never',
  },
  'key.identity': {
    title: 'A World ID 4.0 key is the identity of BabyJubJub',
    cause: 'It is the point (0, 1), under which anyone can sign.',
    cure: 'Do not use this key; nothing was stored.',
    retry: 'never',
  },
  'key.wrong_subgroup': {
    title: 'A World ID 4.0 key is outside the prime subgroup of BabyJubJub',
    cause: 'A part of the point has small order, which makes signatures forgeable.',
    cure: 'Do not use this key; nothing was stored.',
    retry: 'never',
  },
} as const;
