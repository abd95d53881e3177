import type { Engine, ProofSource } from '../engine/engine.ts';
import { ERRORS, type ErrorCode } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { FormError, quoted } from '../groth16/layout.ts';
import type { ProofFormName } from '../groth16/proof.ts';
import { readStatement, shownForm } from '../groth16/statement.ts';
import { suspicionOf } from '../groth16/suspicion.ts';
import { isObject, parseJson } from '../json.ts';
import { KEY_ID } from '../membership/keys/import-key.ts';
import type { KeyRegistry } from '../membership/keys/key-registry.ts';
import type { Metrics } from '../observability/metrics/metrics.ts';
import { refusal } from './request/report-faults.ts';
import {
  type CallTimer,
  type ClientSignal,
  type QueuedItem,
  type QueueParts,
  queueItems,
  RunSignal,
} from './run/queue-items.ts';

/** A request to check proofs of any circuit. */
export interface Groth16Request {
  /** Whether the body has `proofs`, which the answer then has as `results`. */
  readonly isList: boolean;
  /** The proofs with their public inputs, as sent. */
  readonly members: readonly unknown[];
}

/**
 * Parses a body (spec/verification.md#request-for-any-circuit); keeps no reference to its bytes.
 *
 * @param maxProofs - `groth16.maxProofs`.
 * @throws ServiceError `verify.invalid_json`, `verify.schema`
 */
function readGroth16Request(bytes: Uint8Array, maxProofs: number): Groth16Request {
  const body = parseBody(bytes);
  if (!isObject(body)) throw refusal('expected an object', '');
  const isSingle = 'proof' in body || 'publicSignals' in body;
  if (!('proofs' in body)) {
    if (!('proof' in body)) throw refusal('expected proof and publicSignals, or proofs', 'proof');
    return { isList: false, members: [body] };
  }
  if (isSingle) throw refusal('expected proof and publicSignals, or proofs, not both', 'proofs');
  const { proofs } = body;
  if (!Array.isArray(proofs)) throw refusal('proofs must be an array', 'proofs');
  if (proofs.length === 0) throw refusal('At least one proof is required', 'proofs');
  if (proofs.length > maxProofs) throw refusal(`proofs must have at most ${maxProofs} items`, 'proofs');
  return { isList: true, members: proofs };
}

function parseBody(bytes: Uint8Array): unknown {
  try {
    return parseJson(bytes);
  } catch (cause) {
    throw new ServiceError('verify.invalid_json', undefined, {}, { cause });
  }
}

/** Dependencies of `createGroth16Verifier`. */
export interface Groth16Parts extends QueueParts {
  readonly engine: Pick<Engine, 'verifyStatement' | 'canAccept' | 'stats'>;
  readonly keys: Pick<KeyRegistry, 'inputCountOf'>;
  readonly metrics: Pick<Metrics, 'groth16ProofsTotal'>;
  /** `groth16.maxProofs`. */
  readonly maxProofs: number;
  /** `verify.deadlineMs`. */
  readonly deadlineMs: number;
}

/** One request. */
export interface Groth16Call {
  /** The path id, percent-decoded. */
  readonly keyId: string;
  /** Read before the first wait; not kept. */
  readonly body: Uint8Array;
  readonly requestId: string;
  readonly source: ProofSource;
  /** Fires when the client no longer waits for the response. */
  readonly signal: ClientSignal;
  readonly timer: CallTimer;
  /** Counts the proofs beyond the first towards a rate limit. Rejects to refuse. */
  readonly charge?: ((proofs: number) => Promise<void>) | undefined;
}

/** Verdict of one proof, as the answer has it. */
export type Groth16Verdict = { readonly form?: ProofFormName } & (
  | { readonly valid: true }
  | { readonly valid: false; readonly code: ErrorCode; readonly message: string }
);

/** Verdicts in the order of the request. */
export interface Groth16Outcome {
  readonly isList: boolean;
  readonly verdicts: readonly Groth16Verdict[];
}

/**
 * Checks the proofs of a request, each by itself, and records nothing.
 *
 * @returns Rejects with ServiceError `verify.invalid_json`, `verify.schema`, `verify.key_unknown`, `key.*`,
 *   `store.unreachable`, `engine.*`, `verify.deadline` or `internal.unforeseen`, for the request as a whole.
 */
export type Groth16Verifier = (call: Groth16Call) => Promise<Groth16Outcome>;

/** A proof that the engine can check, with the form in which it was sent; or why it cannot. */
type Member =
  | Pick<FormError, 'code' | 'message'>
  | (Extract<QueuedItem, { code?: undefined }> & { readonly form: ProofFormName });

/** Creates the verifier of proofs of any circuit. */
export function createGroth16Verifier(parts: Groth16Parts): Groth16Verifier {
  const { backend } = parts.engine.stats();
  return async (call) => {
    const { isList, members } = readGroth16Request(call.body, parts.maxProofs);
    const signal = new RunSignal();
    try {
      signal.start(call.signal, call.timer, parts.deadlineMs);
      if (call.charge !== undefined) await signal.waitFor(call.charge(members.length - 1));
      const inputCount = await inputCountOf(call.keyId, parts.keys, signal);
      const items = await readMembers(members, { keyId: call.keyId, inputCount, isList, signal });
      const { source, requestId } = call;
      // Equal proofs are not deduplicated: the search would cost more than it saves.
      const own = items.map((_, index) => index);
      const codes = await queueItems(parts, items, { source, signal, requestId }, own);
      signal.stop();
      for (const code of codes) parts.metrics.groth16ProofsTotal.at(code ?? 'ok', backend).add();
      refuseWithoutVerdict(codes);
      return { isList, verdicts: items.map((item, index) => verdictOf(item, codes[index])) };
    } catch (fault) {
      signal.abort(fault);
      throw fault;
    }
  };
}

async function inputCountOf(keyId: string, keys: Groth16Parts['keys'], signal: RunSignal): Promise<number> {
  if (!KEY_ID.test(keyId)) throw new ServiceError('verify.key_unknown');
  try {
    return await signal.waitFor(keys.inputCountOf(keyId));
  } catch (cause) {
    if (!(cause instanceof ServiceError) || cause.code !== 'engine.key_unknown') throw cause;
    throw new ServiceError('verify.key_unknown', undefined, {}, { cause });
  }
}

/** How the proofs of a request are read. */
interface Reading {
  readonly keyId: string;
  readonly inputCount: number;
  readonly isList: boolean;
  readonly signal: RunSignal;
}

/** Milliseconds for which proofs are read before other requests get a turn: one of a compressed form can take several. */
const SLICE_MS = 2;

async function readMembers(members: readonly unknown[], reading: Reading): Promise<Member[]> {
  const items: Member[] = [];
  let started = performance.now();
  for (const member of members) {
    if (performance.now() - started > SLICE_MS) {
      await reading.signal.waitFor(nextTurn());
      started = performance.now();
    }
    items.push(readMember(member, reading));
  }
  return items;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** @throws ServiceError `verify.schema` for signals that are no list, unless other proofs can be answered */
function readMember(member: unknown, { keyId, inputCount, isList }: Reading): Member {
  const { proof, publicSignals } = isObject(member) ? member : {};
  if (!isList && publicSignals !== undefined && !mayBeSignals(publicSignals))
    throw refusal(`expected an array of public signals, got ${quoted(publicSignals)}`, 'publicSignals');
  try {
    return { keyId, ...readStatement(proof, publicSignals, inputCount) };
  } catch (fault) {
    if (!(fault instanceof FormError)) throw fault;
    const { code, path, isType, message } = fault;
    if (isList || code !== 'input.form' || !isType || path !== '') return fault;
    throw refusal(message, 'publicSignals');
  }
}

/** Whether a value has a type of public signals: a list, its text, or a claim. */
function mayBeSignals(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null);
}

/** Whether a code is about the proof, rather than about an engine that could not check it. */
function isVerdict(code: ErrorCode | undefined): boolean {
  return code === undefined || code.startsWith('proof.') || code.startsWith('input.');
}

/** Refuses a request none of whose proofs could be checked: an answer would say nothing about any of them. */
function refuseWithoutVerdict(codes: readonly (ErrorCode | undefined)[]): void {
  const [first] = codes;
  if (first !== undefined && !codes.some(isVerdict)) throw new ServiceError(first);
}

function verdictOf(item: Member, code: ErrorCode | undefined): Groth16Verdict {
  if (item.code !== undefined) return { valid: false, code: item.code, message: item.message };
  const shown = shownForm(item.form);
  if (code === undefined) return { valid: true, ...shown };
  return { valid: false, code, message: ERRORS[code].title + suspicionOf(code, item.bytes), ...shown };
}
