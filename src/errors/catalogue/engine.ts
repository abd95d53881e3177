import type { ErrorSpec } from '../spec.ts';
import { INTERNAL_ITEM, LONG_INVALID_PROOF, PROVER_ERROR, QUEUE_FULL, UNAVAILABLE } from './answers.ts';

/** Refusals of the engine: of a proof, of an input, of work that it cannot take. */
export const ENGINE_ERRORS = {
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
