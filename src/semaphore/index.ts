/**
 * The statement of a proof of humanity as formulas (spec/verification.md#statement): hashes of signal and
 * action, identities, Merkle paths. No I/O and no Node API, so that the wallet page uses the same
 * functions in the browser. Field elements are 32 bytes, big-endian.
 */

export { externalNullifier, hashSignal, hashToField, type Poseidon, pair, rpIdOf } from './hashes.ts';
export { toHex, writeHex } from './hex.ts';
export {
  commitmentOf,
  type Identity,
  identityFromSecret,
  nullifierHashOf,
  randomIdentity,
} from './identity.ts';
export {
  emptyNodes,
  type InclusionProof,
  oneLeafProof,
  pathBit,
  pathNodes,
  TREE_DEPTH,
} from './merkle-tree.ts';
export {
  circuitInput,
  type MembershipStatement,
  proofBytes,
  type SnarkjsProof,
  wordsOf,
} from './snarkjs-forms.ts';
export { decodeWord, isBelowScalarOrder, numberOf, SCALAR_ORDER, wordOf } from './words.ts';
