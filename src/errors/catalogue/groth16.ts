/** Errors of the check of proofs of any circuit: of a request, and of one proof (spec/verification.md#any-circuit). */
export const GROTH16_ERRORS = {
  'verify.key_unknown': {
    title: 'No verifying key with this id is known',
    cause: 'The id in the path names neither a built-in key of the profile nor an imported one.',
    cure: 'Import the key with `proofgate vkey import`, or use an id that `proofgate vkey list` shows.',
    retry: 'never',
    verify: { status: 404, code: 'key_unknown', detail: 'No verifying key with this id is known.' },
  },
  'proof.format': {
    title: 'The proof has none of the accepted forms',
    cause:
      'It is neither an object of snarkjs with affine points nor 0x and the hex digits of 256 bytes or, compressed, of 128.',
    cure: 'Send the proof as snarkjs writes it; the message names the member.',
    retry: 'never',
  },
  'input.format': {
    title: 'A public input has none of the accepted forms',
    cause:
      'publicSignals is no array, or a value is neither decimal text without leading zeros, nor 0x and 1 to 64 hex digits, nor a safe integer from 0.',
    cure: 'Send the public signals as snarkjs writes them; the message names the value.',
    retry: 'never',
  },
} as const;
