import { writeProof } from '../../membership/decode-proof.ts';
import { writeWord } from '../../semaphore/words.ts';
import type { Statement, StatementFault } from './request-base.ts';
import { STATEMENT_BYTES, WORD_AT } from './request-types.ts';

/** The encoded texts of an item, as sent. */
export interface StatementTexts {
  readonly proof: string;
  readonly nullifier: string;
  readonly merkleRoot: string;
  readonly signalHash: string;
}

/** Decodes the texts of an item, or names the first that cannot be decoded (`spec/verification.md#item-steps`). */
export function decodeStatement(texts: StatementTexts): Statement | StatementFault {
  const bytes = Buffer.allocUnsafe(STATEMENT_BYTES);
  if (!writeProof(texts.proof, bytes)) return { code: 'item.proof_format' };
  if (!writeWord(texts.nullifier, bytes, WORD_AT.nullifier)) return { code: 'item.nullifier_format' };
  if (!writeWord(texts.merkleRoot, bytes, WORD_AT.root)) return { code: 'item.merkle_root_format' };
  if (!writeWord(texts.signalHash, bytes, WORD_AT.signalHash)) return { code: 'item.signal_hash_format' };
  return { bytes };
}
