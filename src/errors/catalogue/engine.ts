import {
  INTERNAL_ITEM,
  INVALID_PROOF_4,
  LONG_INVALID_PROOF,
  PROVER_ERROR,
  QUEUE_FULL,
  REFRESH_UNAVAILABLE,
  UNAVAILABLE,
} from '../spec.ts';

/** Errors of the engine: about a proof, an input, or work that it cannot accept. */
export const ENGINE_ERRORS = {
  'proof.length': {
    title: 'The proof has a wrong number of bytes',
    cause:
      'A Groth16 proof has eight words of 32 bytes. Where any form is read, also 128 bytes if it is compressed, 260 or 356 with a selector, or those of gnark; the message names what else the bytes may be.',
    cure: 'Send 0x and exactly 512 hex digits, or the bytes as the tool gives them.',
    retry: 'never',
    verifyItem: PROVER_ERROR as typeof PROVER_ERROR,
    verifyItem4: INVALID_PROOF_4 as typeof INVALID_PROOF_4,
  },
  'proof.form': {
    title: 'The proof is in none of the accepted forms',
    cause:
      'A member of the proof is missing or is no number, the proof is of another proof system or curve (protocol, scheme, curve), has Pedersen commitments of gnark, or begins with the selector of an unknown or other release. The message names the member and quotes what was found.',
    cure: 'Send the proof as its tool writes it, or its bytes in hex or base64: src/docs/proofs-from-other-tools.md has the forms. Numbers are decimal digits, or 0x and hex digits.',
    retry: 'never',
  },
  'proof.decompression': {
    title: 'The compressed proof does not decompress',
    cause:
      'Words 4 to 7 are zero, or there are only 128 bytes, so the proof is read as compressed, and it does not decompress to points.',
    cure: 'Compress the proof again, or send it uncompressed.',
    retry: 'never',
    verifyItem: { code: 'invalid_proof', detail: LONG_INVALID_PROOF as typeof LONG_INVALID_PROOF },
    verifyItem4: INVALID_PROOF_4 as typeof INVALID_PROOF_4,
  },
  'proof.coordinate_range': {
    title: 'A coordinate of the proof is not below p',
    cause: 'A word of the proof is at least the base field order of BN254.',
    cure: 'Send each coordinate reduced; check the order of the words.',
    retry: 'never',
    verifyItem: PROVER_ERROR as typeof PROVER_ERROR,
    verifyItem4: INVALID_PROOF_4 as typeof INVALID_PROOF_4,
  },
  'proof.point_not_on_curve': {
    title: 'A point of the proof is not on its curve',
    cause:
      'The coordinates of A, B or C do not satisfy the curve equation. Often the parts of B are in the other order than the form has; the message then says so.',
    cure: 'Check the order of the parts of B: bytes and Solidity have c1 before c0, snarkjs and ZoKrates c0 before c1.',
    retry: 'never',
    verifyItem: PROVER_ERROR as typeof PROVER_ERROR,
    verifyItem4: INVALID_PROOF_4 as typeof INVALID_PROOF_4,
  },
  'proof.point_not_in_subgroup': {
    title: 'B is outside the r-order subgroup of G2',
    cause: 'B is on the twist but not of order r; no honest prover makes such a point.',
    cure: 'Make a new proof.',
    retry: 'never',
    verifyItem: PROVER_ERROR as typeof PROVER_ERROR,
    verifyItem4: INVALID_PROOF_4 as typeof INVALID_PROOF_4,
  },
  'input.count': {
    title: 'The number of public inputs does not match the key',
    cause: 'The key has a different number of public inputs.',
    cure: 'Send exactly as many inputs as `proofgate vkey list` shows for the key.',
    retry: 'never',
    verifyItem: PROVER_ERROR as typeof PROVER_ERROR,
  },
  'input.form': {
    title: 'A public input is in none of the accepted forms',
    cause:
      'A public input is neither decimal digits, nor 0x and hex digits, nor a whole JSON number below 2⁵³; the inputs are in no form of a list; or the proof has others in it.',
    cure: 'Send a list of decimal texts, as snarkjs writes it; larger JSON numbers in quotes, hex digits with 0x.',
    retry: 'never',
  },
  'input.range': {
    title: 'A public input is not below r',
    cause:
      'A value is negative, or at least the scalar field order of BN254; in requests of World ID, or not 0x and 1 to 64 hex digits.',
    cure: 'Send each input reduced: one value has one spelling.',
    retry: 'never',
    verifyItem: PROVER_ERROR as typeof PROVER_ERROR,
    verifyItem4: { code: 'invalid_public_input', detail: 'A public input value is out of range.' },
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
    verifyItem4: INVALID_PROOF_4 as typeof INVALID_PROOF_4,
  },
  'engine.busy': {
    title: 'The verification queue is full',
    cause: 'engine.maxQueue proofs are already waiting.',
    cure: 'Repeat the request after the time of Retry-After; if it happens often, add workers or use a larger machine.',
    retry: 'later',
    admin: 503,
    verify: QUEUE_FULL as typeof QUEUE_FULL,
    exit: 75,
    refresh: REFRESH_UNAVAILABLE as typeof REFRESH_UNAVAILABLE,
  },
  'engine.draining': {
    title: 'The engine is closing',
    cause: 'The service is stopping and takes no new work.',
    cure: 'Repeat the request; another process answers it.',
    retry: 'later',
    admin: 503,
    verify: UNAVAILABLE as typeof UNAVAILABLE,
    verifyItem: INTERNAL_ITEM as typeof INTERNAL_ITEM,
    exit: 75,
    refresh: REFRESH_UNAVAILABLE as typeof REFRESH_UNAVAILABLE,
  },
  'engine.poison': {
    title: 'This proof crashed more than one worker',
    cause:
      'Worker threads ended repeatedly while they checked this proof; it is not tried again for this request.',
    cure: 'Report it with the X-Request-Id of the answer: it is an internal error.',
    retry: 'never',
    verifyItem: INTERNAL_ITEM as typeof INTERNAL_ITEM,
  },
  'engine.cancelled': {
    title: 'The caller cancelled the verification',
    cause: 'The client closed its connection or the deadline passed before the proof was checked.',
    cure: 'Repeat the request.',
    retry: 'later',
    verifyItem: INTERNAL_ITEM as typeof INTERNAL_ITEM,
    refresh: REFRESH_UNAVAILABLE as typeof REFRESH_UNAVAILABLE,
  },
  'engine.key_unknown': {
    title: 'No verifying or signing key with this id is registered',
    cause: 'The id names no key of the engine.',
    cure: 'Import it with `proofgate vkey import`, or use an id that `proofgate vkey list` shows.',
    retry: 'never',
    verifyItem: INTERNAL_ITEM as typeof INTERNAL_ITEM,
  },
  'engine.backend_unavailable': {
    title: 'The chosen backend does not load',
    cause:
      'engine.backend names the addon or one arithmetic, which is missing, built for another platform, does not run on this processor, or fails its vectors.',
    cure: 'Build the addon with `npm run build:native`, or set engine.backend to auto; `proofgate doctor` lists what runs here.',
    retry: 'never',
    exit: 78,
  },
  'engine.self_test_failed': {
    title: 'A backend returns a wrong answer for its own vectors',
    cause: 'The built crypto module and its vectors disagree: a damaged file or faulty hardware.',
    cure: 'Build again; if it stays, check the memory of the machine.',
    retry: 'never',
    admin: 503,
    exit: 78,
  },
  'engine.worker_failed': {
    title: 'The workers of the engine cannot start',
    cause: 'A worker thread ended before it accepted work; the message has the reason.',
    cure: 'Run `proofgate doctor`.',
    retry: 'never',
    admin: 503,
    exit: 69,
    refresh: REFRESH_UNAVAILABLE as typeof REFRESH_UNAVAILABLE,
  },
  'front_end.failed': {
    title: 'No front end can serve',
    cause: 'The thread of each front end ended again and again before it was ready; the log has the reasons.',
    cure: 'Run `proofgate doctor`, and start with server.frontEnds 1 until the reason is removed.',
    retry: 'never',
    exit: 69,
  },
  'hash.input': {
    title: 'The input of a hash has a wrong shape',
    cause: 'The hash does not accept the width, the number of elements, the size or the range of the input.',
    cure: 'Correct the input; the message names what was expected.',
    retry: 'never',
  },
  'signing_key.length': {
    title: 'A signing seed is not 32 bytes',
    cause: 'EdDSA keys are derived from exactly 32 bytes.',
    cure: 'Give 32 bytes.',
    retry: 'never',
  },
} as const;
