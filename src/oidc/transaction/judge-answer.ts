import { createHash } from 'node:crypto';
import { OPEN_POLICY } from '../../config/apps/policy.ts';
import type { SpentProof } from '../../storage/signin/proofs.ts';
import type { Bytes32 } from '../../storage/values.ts';
import { isNonceSignal } from './attempts.ts';
import { checkSigninProof, type ProofOutcome } from './check-signin-proof.ts';
import { type FailureCode, walletErrorOf } from './reasons.ts';
import type { OpenTransaction, TransactionParts } from './types.ts';
import { unseal } from './wallet-messages.ts';

/**
 * Moves an answered sign-in to completed, failed or refused. Each transition is one conditional update, so only one of
 * several processes that judge the same answer writes. While the queue of the engine is full, the sign-in stays
 * answered.
 *
 * @param address - Address of the client, as used for rate limits.
 * @throws ServiceError `store.unreachable`, `engine.worker_failed`; the answer stays, and the next poll judges it again
 */
export async function judgeAnswer(
  transaction: OpenTransaction,
  address: string,
  parts: TransactionParts,
): Promise<void> {
  const { row } = transaction;
  const answer = row.aesKey && row.answer ? unseal(row.aesKey, row.answer) : undefined;
  if (!answer) return await fail(transaction, 'transaction.answer_unreadable', parts);
  const reported = walletErrorOf(answer);
  if (reported !== undefined) return await refuse(transaction, reported, parts);
  const outcome = await timedCheck(transaction, address, answer, parts);
  if (outcome.kind === 'failed') await fail(transaction, outcome.code, parts);
  else if (outcome.kind === 'refused') await refuse(transaction, outcome.code, parts);
  else if (outcome.kind === 'accepted') await complete(transaction, outcome, parts);
}

async function timedCheck(
  { row, request }: OpenTransaction,
  address: string,
  answer: Readonly<Record<string, unknown>>,
  parts: TransactionParts,
): Promise<ProofOutcome> {
  const { config, clients, metrics, engine, keys, roots, now, onFault } = parts;
  const { clientId, signal } = row;
  const { requiresOrb, hintedSub } = request;
  // A removed client is refused when the sign-in ends.
  const app = (await clients.find(clientId)) ?? { appId: clientId, policy: OPEN_POLICY };
  const claim = { app, signal, requiresOrb, hintedSub, address, answer };
  const { maxRootAgeSeconds } = config.signin;
  const began = performance.now();
  const outcome = await checkSigninProof(claim, { engine, keys, roots, maxRootAgeSeconds, now, onFault });
  metrics.signinProofSeconds.at(outcome.kind).observe((performance.now() - began) / 1000);
  return outcome;
}

async function complete(
  transaction: OpenTransaction,
  { sub, level, signalHash }: Extract<ProofOutcome, { kind: 'accepted' }>,
  parts: TransactionParts,
): Promise<void> {
  const { row } = transaction;
  const at = parts.now();
  const spent = isNonceSignal(transaction) ? spentProof(row.clientId, sub, signalHash, at) : undefined;
  const accepted = { sub, level, authTime: at };
  const outcome = await parts.store.transactions.complete(row.txn, row.attempt, accepted, spent, at);
  if (outcome === 'completed') {
    parts.metrics.signinTransactionsTotal.inc({ result: 'completed' });
    parts.onSignedIn?.(row.clientId);
  }
  if (outcome === 'spent') await fail(transaction, 'transaction.proof_spent', parts);
}

async function fail({ row }: OpenTransaction, code: FailureCode, parts: TransactionParts): Promise<void> {
  const isFirst = await parts.store.transactions.fail(row.txn, row.attempt, code);
  if (isFirst) parts.metrics.signinTransactionsTotal.inc({ result: 'failed' });
}

async function refuse({ row }: OpenTransaction, code: string, parts: TransactionParts): Promise<void> {
  const isFirst = await parts.store.transactions.refuse(row.txn, row.attempt, code);
  if (isFirst) parts.metrics.signinTransactionsTotal.inc({ result: 'refused' });
}

/** spec/sign-in.md#spent-proofs: 30 days. */
const SPENT_FOR_MS = 30 * 86_400_000;

/**
 * Builds the record that prevents a proof over the relying party's own nonce from completing a second sign-in
 * (spec/sign-in.md#spent-proofs). It does not depend on the bytes of the proof, which are malleable.
 *
 * @param now - Milliseconds since the epoch.
 */
export function spentProof(clientId: string, sub: Bytes32, signalHash: Bytes32, now: number): SpentProof {
  const hash = createHash('sha256').update(clientId).update('\0').update(sub).update(signalHash).digest();
  return { hash: Uint8Array.from(hash), expiresAt: now + SPENT_FOR_MS };
}
