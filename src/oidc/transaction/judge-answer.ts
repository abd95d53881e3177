import { createHash } from 'node:crypto';
import { OPEN_POLICY } from '../../config/apps/policy.ts';
import type { JsonObject } from '../../json.ts';
import type { SpentProof } from '../../storage/signin/proofs.ts';
import type { CompletionRefusal, FirstProof } from '../../storage/signin/transactions.ts';
import type { Bytes32 } from '../../storage/values.ts';
import { answerOf } from '../worldid4/read-answer.ts';
import { isNonceSignal } from './attempts.ts';
import { checkAnswer4, followCode, followUnasked3, type Outcome4 } from './check-answer4.ts';
import { checkSigninProof, type ProofOutcome } from './check-signin-proof.ts';
import { planLink } from './link-world-ids.ts';
import { countCompleted, proceedWith } from './next-attempt.ts';
import { walletErrorOf } from './reasons.ts';
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
  const outcome = await outcomeOf(transaction, answer, address, parts);
  if (outcome.kind === 'failed') await fail(transaction, outcome.code, parts);
  else if (outcome.kind === 'refused') await refuse(transaction, outcome.code, parts);
  else if (outcome.kind === 'next') await proceedWith(transaction, outcome.plan, parts);
  else if (outcome.kind === 'accepted') await accept(transaction, outcome, parts);
}

async function outcomeOf(
  transaction: OpenTransaction,
  answer: JsonObject,
  address: string,
  parts: TransactionParts,
): Promise<ProofOutcome | Outcome4> {
  const { ask } = transaction;
  const { worldId4 } = parts;
  const reported = walletErrorOf(answer);
  if (ask === undefined || worldId4 === undefined) {
    if (reported !== undefined) return { kind: 'refused', code: reported };
    return await timedCheck(transaction, address, answer, parts);
  }
  if (reported !== undefined) return await followCode(reported, { ...transaction, ask }, worldId4, parts);
  const read = answerOf(answer);
  if (read.protocol === '3.0') {
    if (ask.takes3) return await timedCheck(transaction, address, read.proof, parts);
    return await followUnasked3({ ...transaction, ask }, worldId4, parts);
  }
  const began = performance.now();
  const outcome = await checkAnswer4({ ...transaction, ask }, read.response, address, worldId4, parts);
  parts.metrics.signinProofSeconds.at(measuredAs(outcome)).observe((performance.now() - began) / 1000);
  return outcome;
}

/** Returns how the time of a check is counted: the first step of a pair is accepted, too. */
function measuredAs({ kind }: Outcome4): ProofOutcome['kind'] {
  return kind === 'next' ? 'accepted' : kind;
}

async function timedCheck(
  transaction: OpenTransaction,
  address: string,
  answer: Readonly<Record<string, unknown>>,
  parts: TransactionParts,
): Promise<ProofOutcome> {
  const { row, request } = transaction;
  const { config, clients, metrics, engine, keys, roots, worldId4, now, onFault } = parts;
  const { clientId, signal } = row;
  const { requiresOrb } = request;
  const hintedSub = row.accepted === null ? request.hintedSub : undefined;
  const resolve = worldId4 && ((nullifier: Bytes32) => worldId4.people.resolve(clientId, nullifier));
  // A removed client is refused when the sign-in ends.
  const app = (await clients.find(clientId)) ?? { appId: clientId, policy: OPEN_POLICY };
  const claim = { app, signal, requiresOrb, hintedSub, resolve, address, answer };
  const { maxRootAgeSeconds } = config.signin;
  const began = performance.now();
  const outcome = await checkSigninProof(claim, { engine, keys, roots, maxRootAgeSeconds, now, onFault });
  metrics.signinProofSeconds.at(outcome.kind).observe((performance.now() - began) / 1000);
  return outcome;
}

type Proven = Extract<ProofOutcome | Outcome4, { kind: 'accepted' }>;

/** Ends the sign-in with what was proven, or asks for the other version of World ID, or adds what was proven. */
async function accept(transaction: OpenTransaction, proven: Proven, parts: TransactionParts): Promise<void> {
  const { row } = transaction;
  const { txn, attempt, clientId } = row;
  const { transactions } = parts.store;
  const at = parts.now();
  const first = firstProof(transaction, proven, at);
  const next = await planLink(transaction, first, parts);
  let outcome: 'completed' | 'stored' | CompletionRefusal;
  if (next !== undefined) outcome = await proceedWith(transaction, next.plan, parts, first);
  else if (row.accepted === null)
    outcome = await transactions.complete(txn, attempt, first.accepted, first.effects, at);
  else {
    const linked = { clientId, added: proven.sub, sub: row.accepted.sub, at };
    outcome = await transactions.completeLink(txn, attempt, linked, first.effects, at);
  }
  if (outcome === 'completed') countCompleted(transaction, parts);
  if (outcome === 'spent') await fail(transaction, 'transaction.proof_spent', parts);
  // A wallet that answers a request for a new session with a known one: whose it is, this proof does not show.
  if (outcome === 'other_person') await fail(transaction, 'transaction.proof_invalid', parts);
}

function firstProof(transaction: OpenTransaction, proven: Proven, at: number): FirstProof {
  const { sub, level } = proven;
  if ('person' in proven) {
    return { accepted: { sub, level, authTime: at, evidence: proven.evidence }, effects: proven };
  }
  // The nonce of a request of World ID 4.0 is used once, so its proofs need no record.
  const spent = isNonceSignal(transaction)
    ? spentProof(transaction.row.clientId, sub, proven.signalHash, at)
    : undefined;
  return { accepted: { sub, level, authTime: at }, effects: { spent } };
}

async function fail({ row }: OpenTransaction, code: string, parts: TransactionParts): Promise<void> {
  const isFirst = await parts.store.transactions.fail(row.txn, row.attempt, code);
  if (isFirst) parts.metrics.signinTransactionsTotal.inc({ result: 'failed' });
}

async function refuse(transaction: OpenTransaction, code: string, parts: TransactionParts): Promise<void> {
  const { row } = transaction;
  // The person is signed in: only what was to be added is not.
  if (row.accepted !== null) return await fail(transaction, code, parts);
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
