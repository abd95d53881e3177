import type { Engine, ProofSource } from '../engine/index.ts';
import { type ErrorCode, ServiceError } from '../errors/index.ts';
import type { KeyRegistry } from '../membership/key-registry.ts';
import type { RootRegistry } from '../membership/root-registry.ts';
import type { AppRow, NullifierEntry, NullifierRecord, NullifierStore } from '../storage/index.ts';
import { type CancelSignal, Deadlines } from '../waiting/index.ts';
import { CallWatch } from './call-watch.ts';
import { createExternalNullifiers } from './external-nullifiers.ts';
import type { RelyingParties } from './find-relying-party.ts';
import { firstVerified, type JudgedRequest } from './judged-request.ts';
import type { RequestParser } from './parse-request.ts';
import { recordFault } from './record-fault.ts';
import {
  countItems,
  factsOf,
  factsOfSuccess,
  type VerifyFacts,
  type VerifyMetrics,
} from './request-telemetry.ts';
import type { VerifyRequest } from './request-types.ts';
import { runStatements } from './run-statements.ts';
import { successBody, type VerifySuccess } from './success-body.ts';
import { type ItemResult, itemResult, nullifierOf, type PreparedItem, prepareItem } from './verify-item.ts';

/** Who calls; asked for the address only when some source sent bad proofs lately. */
export interface Sender {
  /** The client's address as rate limits take it. */
  readonly addressKey: string;
}

/** One call of the endpoint. */
export interface VerifyCall {
  /** The path id, percent-decoded. */
  readonly id: string;
  /** Read before the first wait and not kept. */
  readonly body: Uint8Array;
  readonly requestId: string;
  /** With the app the source of the proofs. */
  readonly sender: Sender;
  /** Fires when nobody waits for the answer any more. */
  readonly signal: CancelSignal;
}

/** How a call ended. */
export type VerifyOutcome =
  | {
      readonly ok: true;
      readonly body: VerifySuccess;
      readonly isReuse: boolean;
      readonly facts: VerifyFacts;
    }
  | {
      readonly ok: false;
      readonly error: ServiceError;
      /** The registered app id once it is known, else the path id; absent where the answer has none. */
      readonly appId?: string;
      readonly results?: readonly ItemResult[];
      readonly facts: VerifyFacts;
    };

/** What the flow is built from. */
export interface VerifyParts {
  readonly parse: RequestParser;
  readonly relyingParties: RelyingParties;
  readonly roots: RootRegistry;
  readonly keys: KeyRegistry;
  readonly engine: Pick<Engine, 'verifyStatement' | 'canAccept' | 'stats'>;
  readonly nullifiers: Pick<NullifierStore, 'record'>;
  readonly metrics: VerifyMetrics;
  readonly deadlineMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Told of faults of ours that one item met. */
  readonly onFault: (fault: unknown, requestId: string) => void;
}

/** Verifies the items of a request and records the nullifier of the first that holds. */
export type RequestVerifier = (call: VerifyCall) => Promise<VerifyOutcome>;

/** What is known of a call so far. */
interface CallState {
  appId: string | undefined;
  judged: JudgedRequest | undefined;
}

/**
 * Makes the verifier: rows 5 to 16 of verify.md 1.1, in their order. What is in memory is not waited for, so that a
 * request with known app, root and key is with the engine in the turn of the event loop in which it came.
 */
export function createRequestVerifier(parts: VerifyParts): RequestVerifier {
  const { backend } = parts.engine.stats();
  const externalNullifierOf = createExternalNullifiers();
  const deadlines = new Deadlines(parts.deadlineMs);

  return async function verifyRequest(call) {
    const state: CallState = { appId: undefined, judged: undefined };
    try {
      const request = parts.parse(call.body);
      const watch = new CallWatch(deadlines, call.signal);
      let items: readonly PreparedItem[];
      let codes: readonly (ErrorCode | undefined)[];
      try {
        watch.throwIfEnded();
        const found = findApp(call.id, state);
        const { appId } = found instanceof Promise ? await watch.wait(found) : found;
        const prepared = prepareItems(request, appId);
        items = prepared instanceof Promise ? await watch.wait(prepared) : prepared;
        const answers = askEngine(items, appId, call, watch);
        codes = answers instanceof Promise ? await answers : answers;
        watch.throwIfEnded();
      } finally {
        watch.stop();
      }
      const judged = judge(request, items, codes);
      state.judged = judged;
      countItems(parts.metrics, backend, judged);
      const entry = entryOf(judged, state.appId ?? call.id, call.requestId);
      let record: NullifierRecord;
      // row 15
      try {
        record = await parts.nullifiers.record(entry);
      } catch (cause) {
        throw recordFault(cause);
      }
      return succeed(judged, state, record);
    } catch (fault) {
      return fail(fault, call, state);
    }
  };

  /** Rows 7 to 10. */
  function findApp(id: string, state: CallState): AppRow | Promise<AppRow> {
    return parts.relyingParties.find(id, (appId) => {
      state.appId = appId;
    });
  }

  function prepareItems(
    request: VerifyRequest,
    appId: string,
  ): readonly PreparedItem[] | Promise<readonly PreparedItem[]> {
    const context = {
      environment: request.environment,
      externalNullifier: externalNullifierOf(appId, request.action),
      roots: parts.roots,
      keys: parts.keys,
      now: parts.now,
    };
    const items = request.items.map((item) => prepareItem(item, context));
    return items.some((item) => item instanceof Promise)
      ? Promise.all(items)
      : (items as readonly PreparedItem[]);
  }

  /** Rows 11 and 12. */
  function askEngine(
    items: readonly PreparedItem[],
    appId: string,
    call: VerifyCall,
    watch: CallWatch,
  ): ReturnType<typeof runStatements> {
    return runStatements(items, {
      engine: parts.engine,
      source: new CallSource(call.sender, appId),
      watch,
      onFault: (fault) => parts.onFault(fault, call.requestId),
    });
  }

  /** What is recorded: the nullifier of the first item that verified. Rows 13 and 14 where there is none. */
  function entryOf(judged: JudgedRequest, appId: string, requestId: string): NullifierEntry {
    const { request, results } = judged;
    const first = firstVerified(judged);
    if (first === undefined) {
      const isOurs = results.some((result) => !result.success && result.code === 'internal_error');
      throw new ServiceError(isOurs ? 'verify.all_failed_internal' : 'verify.all_failed');
    }
    const { action, actionDescription, environment } = request;
    return {
      environment,
      nullifier: nullifierOf(first),
      appId,
      action,
      actionDescription,
      requestId,
      createdAt: parts.now(),
    };
  }

  function succeed(judged: JudgedRequest, state: CallState, record: NullifierRecord): VerifyOutcome {
    const { isNew, createdAt } = record;
    if (!isNew) parts.metrics.verifyNullifierReuseTotal.at(judged.request.environment).add();
    const body = successBody(judged, isNew, createdAt);
    return { ok: true, body, isReuse: !isNew, facts: factsOfSuccess(state.appId ?? '', judged, !isNew) };
  }
}

class CallSource implements ProofSource {
  readonly app: string;
  readonly #sender: Sender;

  constructor(sender: Sender, app: string) {
    this.#sender = sender;
    this.app = app;
  }

  get address(): string {
    return this.#sender.addressKey;
  }
}

function judge(
  request: VerifyRequest,
  items: readonly PreparedItem[],
  codes: JudgedRequest['codes'],
): JudgedRequest {
  const results = request.items.map((item, index) => itemResult(item, codes[index]));
  return { request, items, codes, results };
}

function fail(fault: unknown, call: VerifyCall, { appId, judged }: CallState): VerifyOutcome {
  const error =
    fault instanceof ServiceError
      ? fault
      : new ServiceError('internal.unforeseen', undefined, {}, { cause: fault });
  return {
    ok: false,
    error,
    // row 6 alone names no app
    ...(error.code === 'verify.schema' ? {} : { appId: appId ?? call.id }),
    ...(judged !== undefined && isAllFailed(error) ? { results: judged.results } : {}),
    facts: factsOf(appId, judged),
  };
}

function isAllFailed(error: ServiceError): boolean {
  return error.code === 'verify.all_failed' || error.code === 'verify.all_failed_internal';
}
