import type { Engine, ProofSource } from '../../engine/engine.ts';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import type { KeyRegistry } from '../../membership/keys/key-registry.ts';
import type { RootRegistry } from '../../membership/roots/root-registry.ts';
import { externalNullifier } from '../../semaphore/hashes.ts';
import type { AppRow } from '../../storage/apps/apps.ts';
import type { NullifierRecord } from '../../storage/nullifiers/nullifier-rows.ts';
import type { NullifierStore } from '../../storage/nullifiers/nullifier-store.ts';
import type { UseStore } from '../../storage/uses.ts';
import type { Environment } from '../../storage/values.ts';
import type { IntegrityCheck } from '../integrity/check-integrity.ts';
import type { RequestParser } from '../request/parse-request.ts';
import type { VerifyRequest, VerifyRequest3 } from '../request/request-types.ts';
import { claimSessionProof } from '../worldid4/claim-session-proof.ts';
import {
  checkIssuers,
  checkNullifiers,
  createItem4Context,
  type Item4Context,
  prepareFromCache4,
  prepareItems4,
  type WorldId4Rules,
} from '../worldid4/prepare-items4.ts';
import { checkPolicy } from './check-policy.ts';
import {
  type CheckedRequest,
  collectResults,
  firstVerified,
  hasInternalError,
  nullifierOf,
} from './checked-request.ts';
import { checkAppState, type RelyingParties } from './find-relying-party.ts';
import { isMissed, type PreparedItem, type ReadyItem, settleMissed } from './prepared-item.ts';
import { type CallTimer, type ClientSignal, queueItems, RunSignal } from './queue-items.ts';
import { countIgnoredBundle, countItems, type VerifyMetrics } from './request-telemetry.ts';
import {
  type ActionWords,
  createActionWords,
  type ItemContext,
  prepareFromCache,
  prepareItems,
} from './verify-item.ts';
import { failureOutcome, sessionOutcome, successOutcome, type VerifyOutcome } from './verify-outcome.ts';

/** The sender of a call, for rate limits and fair queueing. */
export interface Sender {
  /** Client address as used for rate limits. Reading it may cost a system call. */
  readonly addressKey: string;
}

/** One call of the endpoint. */
export interface VerifyCall {
  /** The path id, percent-decoded. */
  readonly id: string;
  /** Read before the first wait; not kept. */
  readonly body: Uint8Array;
  readonly requestId: string;
  readonly sender: Sender;
  /** Fires when the client no longer waits for the response. */
  readonly signal: ClientSignal;
  readonly timer: CallTimer;
}

/** Dependencies of `createRequestVerifier`. */
export interface VerifyParts {
  readonly parse: RequestParser;
  readonly relyingParties: RelyingParties;
  readonly roots: RootRegistry;
  readonly keys: KeyRegistry;
  readonly engine: Pick<Engine, 'verifyStatement' | 'canAccept' | 'stats'>;
  readonly nullifiers: Pick<NullifierStore, 'record'>;
  readonly sessionProofUses: UseStore;
  readonly metrics: VerifyMetrics;
  /** Absent: the parser knows no 4.0 request. */
  readonly worldId4?: WorldId4Rules | undefined;
  /** Absent: bundles are ignored. */
  readonly integrity?: IntegrityCheck | undefined;
  readonly deadlineMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Receives internal errors of single items. */
  readonly onFault: (fault: unknown, requestId: string) => void;
  /** Notified of each nullifier that is new for its action. */
  readonly onAccepted?: OnAccepted | undefined;
}

/** Receives the app, environment and action of a nullifier that was recorded for the first time. */
export type OnAccepted = (appId: string, environment: Environment, action: string) => void;

/**
 * Verifies the items of a request and records the nullifier of the first valid one.
 *
 * @param onEnd - Called once with the outcome; before the verifier returns if the run does not wait. Must not
 *   throw.
 */
export type RequestVerifier = (call: VerifyCall, onEnd: (outcome: VerifyOutcome) => void) => void;

/** Creates the verifier. */
export function createRequestVerifier(parts: VerifyParts): RequestVerifier {
  const { roots, keys, now } = parts;
  const runParts: RunParts = {
    ...parts,
    backend: parts.engine.stats().backend,
    externalNullifierOf: createActionWords(externalNullifier),
    context4: parts.worldId4 && createItem4Context(parts.worldId4, { roots, keys, now }),
  };
  return (call, onEnd) => void verifyRequest(runParts, call, onEnd);
}

interface RunParts extends VerifyParts {
  /** Name of the backend of the engine, for metrics. */
  readonly backend: string;
  readonly externalNullifierOf: ActionWords;
  /** Undefined while World ID 4.0 is switched off. */
  readonly context4: Item4Context | undefined;
}

// Created once: capturing the stack of an error costs as much as the rest of such a response.
const ALL_FAILED = new ServiceError('verify.all_failed');
const ALL_FAILED_INTERNAL = new ServiceError('verify.all_failed_internal');

/**
 * Runs one call through the steps of `spec/verification.md#order-of-checks`, starting with `json`; comments
 * name the steps of the lines below them.
 *
 * A body that is refused ends the run before this returns; a call whose app, roots and keys are cached reaches the engine
 * in the turn of the event loop in which it arrived.
 */
async function verifyRequest(
  parts: RunParts,
  call: VerifyCall,
  onEnd: (outcome: VerifyOutcome) => void,
): Promise<void> {
  const signal = new RunSignal();
  let request: VerifyRequest | undefined;
  let appId: string | undefined;
  let checked: CheckedRequest | undefined;
  let outcome: VerifyOutcome;
  try {
    // json, schema, version-floor
    request = parts.parse(call.body);
    signal.start(call.signal, call.timer, parts.deadlineMs);
    // id-form, app-known
    const { relyingParties } = parts;
    const app = relyingParties.peek(call.id) ?? (await signal.waitFor(relyingParties.find(call.id)));
    appId = app.appId;
    // registration, app-enabled
    checkAppState(app);
    // policy
    checkPolicy(request, app, parts.worldId4?.issuers);
    // issuer-listed, one-nullifier
    if (request.protocol === '4.0') {
      checkIssuers(request, context4Of(parts).issuers);
      checkNullifiers(request);
    }
    // bundle-version, bundle
    if (parts.integrity === undefined) countIgnoredBundle(parts.metrics, request);
    const checking = parts.integrity?.(request, app);
    if (checking !== undefined) await signal.waitFor(checking);
    // key-configured, lookup
    const ready = prepareNow(request, app, parts) ?? (await signal.waitFor(prepare(request, app, parts)));
    // queue-room, deadline
    const options = { source: new CallSource(call.sender, appId), signal, requestId: call.requestId };
    const verdicts = await queueItems(parts, ready, options);
    // misses, lookup, deadline
    const { items, codes } = ready.some(isMissed)
      ? await signal.waitFor(settleMissed(ready, verdicts))
      : { items: ready, codes: verdicts };
    signal.stop();
    // internal-items, all-failed
    checked = collectResults(request, items, codes);
    countItems(parts.metrics, parts.backend, checked);
    const first = firstVerified(checked);
    if (first === undefined) throw hasInternalError(checked) ? ALL_FAILED_INTERNAL : ALL_FAILED;
    // nullifier-write, session-reuse
    outcome =
      request.kind === 'session'
        ? await recordSession(checked, first, app, parts)
        : await record(checked, first, appId, parts, call.requestId);
  } catch (fault) {
    // any step that throws; the step unforeseen if the error is not a ServiceError
    signal.abort(fault);
    outcome = failureOutcome(fault, request, call.id, appId, checked);
  }
  onEnd(outcome);
}

/**
 * Prepares the items without a wait if their roots and keys are in memory: awaiting would cost a twentieth of a
 * request.
 */
function prepareNow(
  request: VerifyRequest,
  app: AppRow,
  parts: RunParts,
): readonly PreparedItem[] | undefined {
  return request.protocol === '4.0'
    ? prepareFromCache4(request, app, context4Of(parts))
    : prepareFromCache(request, contextOf(request, app, parts));
}

function prepare(request: VerifyRequest, app: AppRow, parts: RunParts): Promise<readonly PreparedItem[]> {
  return request.protocol === '4.0'
    ? prepareItems4(request, app, context4Of(parts))
    : prepareItems(request, contextOf(request, app, parts));
}

function contextOf({ environment, action }: VerifyRequest3, app: AppRow, parts: RunParts): ItemContext {
  const { roots, keys, now } = parts;
  const { maxRootAgeSeconds = Number.POSITIVE_INFINITY } = app.policy;
  const word = parts.externalNullifierOf(app.appId, action);
  return { environment, externalNullifier: word, maxRootAgeSeconds, roots, keys, now };
}

function context4Of({ context4 }: RunParts): Item4Context {
  if (context4 === undefined) throw new TypeError('expected the rules of World ID 4.0 for a 4.0 request');
  return context4;
}

/** The steps `nullifier-write` and `session-reuse` of a request with session proofs. */
async function recordSession(
  checked: CheckedRequest,
  first: ReadyItem,
  { appId, policy }: AppRow,
  { sessionProofUses, now }: RunParts,
): Promise<VerifyOutcome> {
  const { request } = checked;
  let isNew: boolean;
  try {
    isNew = await claimSessionProof(
      sessionProofUses,
      request.environment,
      nullifierOf(request, first),
      now(),
    );
  } catch (cause) {
    throw recordRefusal(cause);
  }
  if (!isNew && policy.sessionProofReuse === false) {
    const path = `responses[${checked.items.indexOf(first)}].session_nullifier`;
    throw new ServiceError('policy.session_proof_reused', undefined, { path });
  }
  return sessionOutcome(appId, checked, isNew);
}

/** The step `nullifier-write` of a request with uniqueness proofs. */
async function record(
  checked: CheckedRequest,
  first: ReadyItem,
  appId: string,
  { nullifiers, metrics, now, onAccepted }: RunParts,
  requestId: string,
): Promise<VerifyOutcome> {
  const { request } = checked;
  const { environment, action, actionDescription } = request;
  const nullifier = nullifierOf(request, first);
  let stored: NullifierRecord;
  try {
    stored = await nullifiers.record({
      environment,
      nullifier,
      appId,
      action,
      actionDescription,
      requestId,
      createdAt: now(),
    });
  } catch (cause) {
    throw recordRefusal(cause);
  }
  if (stored.isNew) onAccepted?.(appId, environment, action);
  else metrics.verifyNullifierReuseTotal.at(environment).add();
  return successOutcome(appId, checked, stored);
}

/** Source of the proofs of a call; the engine rarely needs its address. */
class CallSource implements ProofSource {
  readonly app: string;
  readonly #sender: Sender;

  constructor(sender: Sender, app: string) {
    this.app = app;
    this.#sender = sender;
  }

  get address(): string {
    return this.#sender.addressKey;
  }
}

/**
 * Returns the refusal of a request whose nullifier could not be recorded
 * (spec/verification.md#nullifier-record; spec/verification.md#order-of-checks, nullifier-write).
 */
function recordRefusal(cause: unknown): ServiceError {
  const isUnreachable = isServiceError(cause, 'store.unreachable');
  const code = isUnreachable ? 'verify.nullifier_store_unreachable' : 'verify.nullifier_not_stored';
  return new ServiceError(code, undefined, {}, { cause });
}
