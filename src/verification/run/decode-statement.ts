import { decodeProof } from '../../membership/decode-proof.ts';
import { decodeWord } from '../../semaphore/decode-word.ts';
import { STATEMENT_BYTES, type Statement, type StatementFault, WORD_AT } from '../request/request-types.ts';

/** The texts of an item that are decoded, as sent. */
export interface StatementTexts {
  readonly proof: string;
  readonly nullifier: string;
  readonly merkleRoot: string;
  readonly signalHash: string;
}

/** The words of an item as bytes, or the first that cannot be decoded (spec/verification.md#item-steps). */
export function decodeStatement(texts: StatementTexts): Statement | StatementFault {
  const proof = decodeProof(texts.proof);
  if (!proof) return { code: 'item.proof_format' };
  const nullifier = decodeWord(texts.nullifier);
  if (!nullifier) return { code: 'item.nullifier_format' };
  const root = decodeWord(texts.merkleRoot);
  if (!root) return { code: 'item.merkle_root_format' };
  const signalHash = decodeWord(texts.signalHash);
  if (!signalHash) return { code: 'item.signal_hash_format' };
  const bytes = new Uint8Array(STATEMENT_BYTES);
  bytes.set(proof);
  bytes.set(root, WORD_AT.root);
  bytes.set(nullifier, WORD_AT.nullifier);
  bytes.set(signalHash, WORD_AT.signalHash);
  return { bytes };
}
