import { reread } from './begin-sign-in.ts';
import { judgeAnswer } from './judge-answer.ts';
import { renewIfDue } from './next-attempt.ts';
import type { OpenTransaction, TransactionParts } from './types.ts';
import type { Collected } from './wallet-bridge.ts';

/** A sign-in after a check for the answer of its wallet. */
export interface Advanced {
  readonly transaction: OpenTransaction;
  /** Status at the bridge while the sign-in is waiting. */
  readonly collected: Collected;
}

/** Advances a sign-in as far as possible now. `address` is the client address, as used for rate limits. */
export type Advance = (transaction: OpenTransaction, address: string) => Promise<Advanced>;

/**
 * Creates the step that collects and judges the answer of the wallet. Concurrent polls of one attempt share one run in
 * this process; the store prevents a second outcome from another process.
 */
export function createAdvance(parts: TransactionParts): Advance {
  const running = new Map<string, Promise<Advanced>>();

  return (transaction, address) => {
    const { txn, attempt } = transaction.row;
    const key = `${txn}/${attempt}`;
    let run = running.get(key);
    if (!run) {
      run = advance(transaction, address, parts).finally(() => running.delete(key));
      running.set(key, run);
    }
    return run;
  };
}

async function advance(
  transaction: OpenTransaction,
  address: string,
  parts: TransactionParts,
): Promise<Advanced> {
  let current = transaction;
  let collected: Collected = 'unknown';
  const { row } = current;
  if (row.state === 'waiting' && row.bridgeId !== null) {
    collected = await parts.bridge.collect({ ...row, bridgeId: row.bridgeId });
    const isRenewed =
      collected !== 'answered' && (await renewIfDue(current, collected === 'initialized', parts));
    if (isRenewed) collected = 'unknown';
    if (isRenewed || collected === 'answered' || collected === 'gone') current = await reread(current, parts);
  }
  if (current.row.state === 'answered') {
    await judgeAnswer(current, address, parts);
    current = await reread(current, parts);
  }
  return { transaction: current, collected };
}
