import type { ProofSource, Verdict, VerdictReceiver, VerifyOptions } from '../../engine/index.ts';
import { type ErrorCode, ServiceError } from '../../errors/index.ts';
import type { AppRow, NullifierEntry, NullifierReceiver, NullifierRecord } from '../../storage/index.ts';
import { type CancelObserver, type Deadlines, Timed } from '../../waiting/index.ts';
import { firstVerified, type JudgedRequest } from '../request/judged-request.ts';
import type { VerifyRequest } from '../request/request-types.ts';
import { firstAlike } from './alike-items.ts';
import type { AppListener } from './find-relying-party.ts';
import { recordFault } from './record-fault.ts';
import { countItems, factsOf, factsOfSuccess } from './request-telemetry.ts';
import { successBody } from './success-body.ts';
import {
  type ItemContext,
  itemResult,
  nullifierOf,
  type PreparedItem,
  prepareItem,
  type ReadyItem,
  verdictCode,
} from './verify-item.ts';
import type { OutcomeReceiver, VerifyCall, VerifyOutcome, VerifyParts } from './verify-request.ts';

/** What the runs of a verifier have in common. */
export interface RunParts extends VerifyParts {
  /** Name of the engine's back-end, for metrics. */
  readonly backend: string;
  readonly deadlines: Deadlines;
  readonly externalNullifierOf: (appId: string, action: string) => Uint8Array;
}

type Step = 'asking' | 'recording' | 'over';

const NO_ITEMS: readonly PreparedItem[] = [];

// Made once: the stack that an error captures costs as much as the rest of such an answer, and says nothing of it.
const ALL_FAILED = new ServiceError('verify.all_failed');
const ALL_FAILED_INTERNAL = new ServiceError('verify.all_failed_internal');

/**
 * One call of the endpoint on its way: the steps from the JSON syntax on, in the order of
 * spec/verification.md#order-of-checks. All that is called back with is this one object, since a promise,
 * closure or signal for each of it costs as much as the work between them. What is in memory is not waited
 * for, so that a request with known app, root and key is with the engine in the turn of the event loop in
 * which it came.
 *
 * Its time limit, or a client that is gone, ends a run until its nullifier is handed to the store; `aborted` then tells
 * the engine not to begin what is queued.
 */
export class VerifyRun
  extends Timed
  implements AppListener, CancelObserver, NullifierReceiver, ProofSource, VerdictReceiver, VerifyOptions
{
  readonly #parts: RunParts;
  readonly #call: VerifyCall;
  readonly #receiver: OutcomeReceiver;
  #step: Step = 'asking';
  #appId: string | undefined;
  #address: string | undefined;
  #request: VerifyRequest | undefined;
  #items = NO_ITEMS;
  /** For each item the index of the first that asks the same; undefined where none asks what another does. */
  #firsts: readonly number[] | undefined;
  #codes: (ErrorCode | undefined)[] = [];
  /** Verdicts that the engine has yet to give. */
  #left = 0;
  #judged: JudgedRequest | undefined;

  constructor(parts: RunParts, call: VerifyCall, receiver: OutcomeReceiver) {
    super();
    this.#parts = parts;
    this.#call = call;
    this.#receiver = receiver;
  }

  /** Begins the run, which may end before this returns. */
  start(): void {
    const { parse, deadlines, relyingParties } = this.#parts;
    const { body, id, signal } = this.#call;
    try {
      const request = parse(body);
      this.#request = request;
      deadlines.add(this);
      if (signal.aborted) {
        this.handleEvent();
        return;
      }
      signal.addEventListener('abort', this, { once: true });
      const app = relyingParties.find(id, this);
      if (app instanceof Promise) this.#await(app, () => this.#prepare(request));
      else this.#prepare(request);
    } catch (fault) {
      this.#fail(fault);
    }
  }

  /** As a source of proofs, and as the options of a proof. */
  get address(): string {
    this.#address ??= this.#call.sender.addressKey;
    return this.#address;
  }

  get app(): string {
    return this.#appId ?? this.#call.id;
  }

  get source(): ProofSource {
    return this;
  }

  get signal(): { readonly aborted: boolean } {
    return this;
  }

  /** Whether nobody waits for verdicts any more. */
  get aborted(): boolean {
    return this.#step === 'over';
  }

  /** The app was found (spec/verification.md#order-of-checks, app-known). */
  resolved({ appId }: Pick<AppRow, 'appId'>): void {
    this.#appId = appId;
  }

  expire(): void {
    this.#fail(new ServiceError('verify.deadline'));
  }

  /** The client is gone. */
  handleEvent(): void {
    this.#fail(new ServiceError('engine.cancelled', 'the client is gone'));
  }

  verdict(index: number, verdict: Verdict): void {
    const code = verdictCode(verdict);
    // all of a request or nothing: one item without a place refuses the request
    if (code === 'engine.busy') this.#fail(new ServiceError(code));
    else this.#settle(index, code);
  }

  failed(index: number, fault: unknown): void {
    this.#parts.onFault(fault, this.#call.requestId);
    this.#settle(index, 'internal.unforeseen');
  }

  /** The nullifier is recorded. */
  committed(record: NullifierRecord): void {
    const judged = this.#judged as JudgedRequest;
    try {
      const { isNew, createdAt } = record;
      const body = successBody(judged, isNew, createdAt);
      const facts = factsOfSuccess(this.app, judged, !isNew);
      if (!isNew) this.#parts.metrics.verifyNullifierReuseTotal.at(judged.request.environment).add();
      this.#end({ ok: true, body, isReuse: !isNew, facts });
    } catch (fault) {
      this.#fail(fault);
    }
  }

  /** The nullifier could not be recorded (spec/verification.md#order-of-checks, nullifier-write). */
  notCommitted(cause: unknown): void {
    this.#fail(recordFault(cause));
  }

  /** Rows of the items that need no pairing. */
  #prepare(request: VerifyRequest): void {
    const { externalNullifierOf, roots, keys, now } = this.#parts;
    const { environment, action } = request;
    const externalNullifier = externalNullifierOf(this.app, action);
    const context: ItemContext = { environment, externalNullifier, roots, keys, now };
    const items = request.items.map((item) => prepareItem(item, context));
    if (items.some((item) => item instanceof Promise))
      this.#await(Promise.all(items), (ready) => this.#ask(ready));
    else this.#ask(items as readonly PreparedItem[]);
  }

  /**
   * Queues all ready items in one turn of the event loop, identical ones once, or refuses
   * (spec/verification.md#order-of-checks, queue-room and deadline).
   */
  #ask(items: readonly PreparedItem[]): void {
    const { engine } = this.#parts;
    this.#items = items;
    this.#codes = items.map(({ code }) => code);
    const firsts = items.length === 1 ? undefined : items.map((_item, index) => firstAlike(items, index));
    this.#firsts = firsts?.some((first, index) => first !== index) ? firsts : undefined;
    this.#left = this.#countAsked();
    if (this.#left === 0) {
      this.#judge();
      return;
    }
    if (!engine.canAccept(this.#left, this)) throw new ServiceError('engine.busy');
    for (let index = 0; index < items.length && !this.aborted; index++) {
      const item = items[index] as PreparedItem;
      if (item.code !== undefined || this.#hasTwinBefore(index)) continue;
      engine.verifyStatement(item.keyId, item.bytes, this, this, index);
    }
  }

  #countAsked(): number {
    const { onFault } = this.#parts;
    let asked = 0;
    for (let index = 0; index < this.#items.length; index++) {
      const item = this.#items[index] as PreparedItem;
      if (item.code === undefined) asked += this.#hasTwinBefore(index) ? 0 : 1;
      else if (item.code === 'engine.key_unknown') onFault(item.cause, this.#call.requestId);
    }
    return asked;
  }

  #hasTwinBefore(index: number): boolean {
    return this.#firsts !== undefined && this.#firsts[index] !== index;
  }

  #settle(index: number, code: ErrorCode | undefined): void {
    if (this.#step !== 'asking') return;
    this.#codes[index] = code;
    this.#left--;
    if (this.#left > 0) return;
    try {
      this.#judge();
    } catch (fault) {
      this.#fail(fault);
    }
  }

  /**
   * Every item has its answer: the nullifier of the first that holds is recorded. If there is none, the
   * request is refused (spec/verification.md#order-of-checks, internal-items and all-failed).
   */
  #judge(): void {
    const { metrics, backend, nullifiers } = this.#parts;
    const request = this.#request as VerifyRequest;
    const codes = this.#firsts?.map((first) => this.#codes[first]) ?? this.#codes;
    const results = request.items.map((item, index) => itemResult(item, codes[index]));
    this.#goOn('recording');
    const judged = { request, items: this.#items, codes, results };
    this.#judged = judged;
    countItems(metrics, backend, judged);
    const first = firstVerified(judged);
    if (first !== undefined) nullifiers.recordFor(this.#entryOf(request, first), this);
    else {
      const isOurs = results.some((result) => !result.success && result.code === 'internal_error');
      this.#fail(isOurs ? ALL_FAILED_INTERNAL : ALL_FAILED);
    }
  }

  #entryOf({ action, actionDescription, environment }: VerifyRequest, first: ReadyItem): NullifierEntry {
    return {
      environment,
      nullifier: nullifierOf(first),
      appId: this.app,
      action,
      actionDescription,
      requestId: this.#call.requestId,
      createdAt: this.#parts.now(),
    };
  }

  /** Goes on with what a promise gives, unless the run ends before. */
  #await<T>(work: Promise<T>, proceed: (value: T) => void): void {
    work
      .then((value) => {
        if (!this.aborted) proceed(value);
      })
      .catch((fault: unknown) => this.#fail(fault));
  }

  #goOn(step: Exclude<Step, 'asking'>): void {
    if (this.#step === 'asking') {
      this.#parts.deadlines.delete(this);
      this.#call.signal.removeEventListener('abort', this);
    }
    this.#step = step;
  }

  #fail(fault: unknown): void {
    const appId = this.#appId;
    const judged = this.#judged;
    const error =
      fault instanceof ServiceError
        ? fault
        : new ServiceError('internal.unforeseen', undefined, {}, { cause: fault });
    this.#end({
      ok: false,
      error,
      // this refusal alone names no app (spec/verification.md#order-of-checks, schema)
      ...(error.code === 'verify.schema' ? {} : { appId: appId ?? this.#call.id }),
      ...(judged !== undefined && isAllFailed(error) ? { results: judged.results } : {}),
      facts: factsOf(appId, judged),
    });
  }

  /** The first outcome counts. */
  #end(outcome: VerifyOutcome): void {
    if (this.#step === 'over') return;
    this.#goOn('over');
    this.#receiver.ended(outcome);
  }
}

function isAllFailed(error: ServiceError): boolean {
  return error.code === 'verify.all_failed' || error.code === 'verify.all_failed_internal';
}
