/** Errors of verifying keys. */
export const KEY_ERRORS = {
  'key.not_json': {
    title: 'The key is in none of the accepted forms',
    cause:
      'It is neither JSON nor hex digits nor base64, or a member is missing or malformed; the message names it and quotes what was found. A file with the keys of several depths needs a depth.',
    cure: 'Give the key as its tool writes it: src/docs/proofs-from-other-tools.md has the forms of snarkjs, gnark, ZoKrates, arkworks, Semaphore and Solidity. Numbers are decimal digits, or 0x and hex digits.',
    retry: 'never',
    admin: 400,
  },
  'key.not_zkey': {
    title: 'The file is not a complete proving key (zkey)',
    cause: 'It ends too early, or its sections have wrong sizes; the message names the place.',
    cure: 'Get the file again from its source.',
    retry: 'never',
  },
  'key.protocol': {
    title: 'The key is not for Groth16 over bn128',
    cause:
      'protocol, scheme, curve, q or r of the file name another system, such as plonk, gm17 or bls12381, or a key of gnark has Pedersen commitments.',
    cure: 'Make the key for Groth16 over bn128 (also called BN254), without commitments: `snarkjs groth16 setup`, `zokrates setup --proving-scheme g16`.',
    retry: 'never',
    admin: 400,
  },
  'key.input_count': {
    title: 'The key has too few or too many points for its public inputs',
    cause:
      'A key has one such point (IC, K or gamma_abc) more than public inputs, of which there are at most 1024; nPublic of the file says another number.',
    cure: 'Export the key again.',
    retry: 'never',
    admin: 400,
  },
  'key.length': {
    title: 'The verifying key has a wrong length',
    cause:
      'A key in bytes has 448 and 64 more for each IC point, of which there are 1 to 1025; those of gnark and arkworks have lengths of their own, which these bytes have not.',
    cure: 'Give all bytes of the file, as `WriteTo` or `WriteRawTo` of gnark or `CanonicalSerialize` of arkworks writes them, or the key as JSON.',
    retry: 'never',
    admin: 400,
  },
  'key.coordinate_range': {
    title: 'A coordinate of the verifying key is not below p',
    cause: 'The named point has a coordinate outside the base field.',
    cure: 'Get the key again from its source.',
    retry: 'never',
    admin: 400,
  },
  'key.point_not_on_curve': {
    title: 'A point of the verifying key is not on its curve',
    cause:
      'The named point does not satisfy the curve equation. Often the parts of G2 are in the other order than the form has; the message then says so.',
    cure: 'Swap the two parts of each coordinate of G2 if the message says so; else get the key again from its source.',
    retry: 'never',
    admin: 400,
  },
  'key.point_not_in_subgroup': {
    title: 'A G2 point of the verifying key is outside the r-order subgroup',
    cause: 'The named point is on the twist but not of order r.',
    cure: 'Do not use this key.',
    retry: 'never',
    admin: 400,
  },
  'key.point_at_infinity': {
    title: 'α, β, γ or δ of the verifying key is the point at infinity',
    cause: 'Such a key accepts forgeries.',
    cure: 'Do not use this key.',
    retry: 'never',
    admin: 400,
  },
  'key.forgeable': {
    title: 'There is a known relation between α, β, γ, δ or the generators, so that anyone can forge proofs',
    cause:
      'The setup was not completed or is a trap: without a contribution to phase 2, δ equals γ; without one to phase 1, α, β or γ are known multiples of a generator or of each other; β, γ and δ may also add up to infinity with small factors. The message has the relation.',
    cure: 'Do not use this key. Complete the setup (`snarkjs zkey contribute`, then `zkey beacon`) and export the key again; if the key comes from somebody else, ask for the transcript and check it with `snarkjs zkey verify`.',
    retry: 'never',
    admin: 400,
  },
  'key.degenerate_inputs': {
    title: 'IC points of the verifying key are at infinity or have a simple relation to each other or to α',
    cause:
      'Public inputs of a finished proof can be changed, or anyone can prove one statement; the message has the relation and what it makes provable. Production refuses the key, other profiles warn.',
    cure: 'Constrain every public input in the circuit, repeat the setup and import its key.',
    retry: 'never',
    admin: 400,
  },
  'key.forbidden': {
    title: 'Anyone can forge proofs under this key',
    cause: 'The key is a test or development key (by origin or fingerprint), and the profile is production.',
    cure: 'Use a key of a real ceremony.',
    retry: 'never',
    admin: 409,
  },
  'key.conflict': {
    title: 'Another key has this id',
    cause: 'A key with this id and another fingerprint exists; a key never changes under its id.',
    cure: 'Choose another id.',
    retry: 'never',
    admin: 409,
  },
  'key.unsupported_file': {
    title: 'This installation cannot read this file format',
    cause: 'A zkey is read by development dependencies, and an installation for production has none.',
    cure: 'Export the key with `snarkjs zkey export verificationkey`.',
    retry: 'never',
    admin: 400,
  },
  'key.invalid': {
    title: 'A line or option of a World ID 4.0 key has a wrong value',
    cause: 'The message names the line and the member.',
    cure: 'Correct the value; nothing was stored.',
    retry: 'never',
    admin: 400,
  },
  'key.range': {
    title: 'A coordinate of a World ID 4.0 key is 0 or not below the scalar order r',
    cause: 'The key was not registered, or was copied incompletely.',
    cure: 'Get the key again from its source; nothing was stored.',
    retry: 'never',
    admin: 400,
  },
  'key.not_on_curve': {
    title: 'A World ID 4.0 key is not on BabyJubJub',
    cause: 'The coordinates do not satisfy the curve equation: they were mistyped, or x and y were swapped.',
    cure: 'Get the key again from its source; nothing was stored.',
    retry: 'never',
    admin: 400,
  },
  'key.identity': {
    title: 'A World ID 4.0 key is the identity of BabyJubJub',
    cause: 'It is the point (0, 1), under which anyone can sign.',
    cure: 'Do not use this key; nothing was stored.',
    retry: 'never',
    admin: 400,
  },
  'key.wrong_subgroup': {
    title: 'A World ID 4.0 key is outside the prime subgroup of BabyJubJub',
    cause: 'A part of the point has small order, which makes signatures forgeable.',
    cure: 'Do not use this key; nothing was stored.',
    retry: 'never',
    admin: 400,
  },
} as const;
