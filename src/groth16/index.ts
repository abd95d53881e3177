/**
 * Groth16 over BN254 in the forms in which programs exchange it: verifying keys, proofs and public signals of snarkjs,
 * decoded to the bytes that the engine takes. Nothing here does arithmetic or I/O or needs a Node API: the service, the
 * library and its web entry share these functions. Whether points are on their curves is checked by the engine.
 */
export {
  checkFinite,
  checkInputCount,
  type DecodedKey,
  FIELD_ORDER,
  FormError,
  G1_BYTES,
  G2_BYTES,
  HEAD_BYTES,
  MAX_INPUTS,
  PROOF_BYTES,
  WORD_BYTES,
} from './layout.ts';
export { type NumberForm, type SignalsForm, signalBytesOf, writeNumberForm } from './number-form.ts';
export { type ProofForm, proofBytesOf, type SnarkjsProofForm } from './proof.ts';
export {
  inputCountOf,
  type KeyCoordinates,
  keyBytesOf,
  keyCoordinatesOf,
  type SnarkjsNumber,
  type SnarkjsProof,
  snarkjsProofBytes,
  snarkjsSignalBytes,
} from './snarkjs-forms.ts';
export { type VerifyingKeyForm, verifyingKeyOf } from './verifying-key.ts';
