import type { Engine } from '../engine/index.ts';
import { ServiceError } from '../errors/index.ts';
import type { KeyRegistry } from '../membership/key-registry.ts';
import type { RootRegistry } from '../membership/root-registry.ts';
import type { AppRow, NullifierRecord, NullifierStore } from '../storage/index.ts';
import { type CancelSignal, Deadlines } from '../waiting/index.ts';
import { CallWatch } from './call-watch.ts';
import { createExternalNullifiers } from './external-nullifiers.ts';
import type { RelyingParties } from './find-relying-party.ts';
import type { RequestParser } from './parse-request.ts';
import { recordFault } from './record-fault.ts';
import {
  countItems,
  factsOf,
  type JudgedItems,
  type VerifyFacts,
  type VerifyMetrics,
} from './request-telemetry.ts';
import type { VerifyRequest } from './request-types.ts';
import { runStatements } from './run-statements.ts';
import { successBody, type VerifySuccess } from './success-body.ts';
import { type ItemResult, itemResult, nullifierOf, type PreparedItem, prepareItem } from './verify-item.ts';

/** One call of the endpoint. */
export interface VerifyCall {
  /** The path id, percent-decoded. */
  readonly id: string;
  /** Read before the first wait and not kept. */
  readonly body: Uint8Array;
  readonly requestId: string;
  /** The client's address as rate limits take it; with the app it is the source of the proofs. */
  readonly source: string;
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
  readonly engine: Pick<Engine, 'verify' | 'canAccept' | 'stats'>;
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

interface Judged extends JudgedItems {
  readonly appId: string;
  readonly results: readonly ItemResult[];
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
    let appId: string | undefined;
    let judged: Judged | undefined;
    try {
      const request = parts.parse(call.body);
      const watch = new CallWatch(deadlines, call.signal);
      try {
        judged = await judge(request, call, watch, (found) => {
          appId = found;
        });
      } finally {
        watch.stop();
      }
      const { isNew, createdAt } = await settle(judged, call.requestId);
      const body = successBody(judged, isNew, createdAt);
      return { ok: true, body, isReuse: !isNew, facts: factsOf(appId, judged) };
    } catch (fault) {
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
  };

  /** Rows 7 to 12: every item has an answer when it returns. */
  async function judge(
    request: VerifyRequest,
    call: VerifyCall,
    watch: CallWatch,
    onResolved: (appId: string) => void,
  ): Promise<Judged> {
    watch.throwIfEnded();
    const found = parts.relyingParties.find(call.id, onResolved);
    const { appId } = found instanceof Promise ? await watch.wait<AppRow>(found) : found;
    const prepared = prepareItems(request, appId);
    const items = prepared instanceof Promise ? await watch.wait(prepared) : prepared;
    const answers = runStatements(items, {
      engine: parts.engine,
      options: { source: { address: call.source, app: appId }, signal: watch },
      onFault: (fault) => parts.onFault(fault, call.requestId),
    });
    const codes = answers instanceof Promise ? await watch.wait(answers) : answers;
    watch.throwIfEnded();
    const results = request.items.map((item, index) => itemResult(item, codes[index]));
    const judged = { request, appId, items, codes, results };
    countItems(parts.metrics, backend, judged);
    return judged;
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

  /** Rows 13 to 15: nothing verified, or the record of the first that did. */
  async function settle(
    { request, appId, items, codes, results }: Judged,
    requestId: string,
  ): Promise<NullifierRecord> {
    const first = items.find((_item, index) => codes[index] === undefined);
    if (first === undefined || first.code !== undefined) {
      const isOurs = results.some((result) => !result.success && result.code === 'internal_error');
      throw new ServiceError(isOurs ? 'verify.all_failed_internal' : 'verify.all_failed');
    }
    const { action, actionDescription, environment } = request;
    const entry = {
      environment,
      nullifier: nullifierOf(first),
      appId,
      action,
      actionDescription,
      requestId,
      createdAt: parts.now(),
    };
    try {
      const record = await parts.nullifiers.record(entry);
      if (!record.isNew) parts.metrics.verifyNullifierReuseTotal.at(environment).add();
      return record;
    } catch (cause) {
      throw recordFault(cause);
    }
  }
}

function isAllFailed(error: ServiceError): boolean {
  return error.code === 'verify.all_failed' || error.code === 'verify.all_failed_internal';
}
