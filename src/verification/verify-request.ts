import type { Engine } from '../engine/index.ts';
import { type ErrorCode, ServiceError } from '../errors/index.ts';
import type { KeyRegistry } from '../membership/key-registry.ts';
import type { RootRegistry } from '../membership/root-registry.ts';
import { toHex } from '../semaphore/hex.ts';
import type { NullifierStore } from '../storage/index.ts';
import { withDeadline } from './deadline.ts';
import { createExternalNullifiers } from './external-nullifiers.ts';
import type { RelyingParties } from './find-relying-party.ts';
import type { RequestParser, VerifyRequest } from './parse-request.ts';
import { recordNullifier } from './record-nullifier.ts';
import {
  countItems,
  factsOf,
  type JudgedItems,
  type VerifyFacts,
  type VerifyMetrics,
} from './request-telemetry.ts';
import {
  type ItemResult,
  itemResult,
  type PreparedItem,
  prepareItem,
  type ReadyItem,
  verdictCode,
} from './verify-item.ts';

/** One call of the endpoint. */
export interface VerifyCall {
  /** The path id, percent-decoded. */
  readonly id: string;
  readonly body: Uint8Array;
  readonly requestId: string;
  /** The client, as the isolation of bad sources knows it; the app is added here. */
  readonly source: string;
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** Body of a success. */
export interface VerifySuccess {
  readonly success: true;
  readonly action: string;
  readonly nullifier: string;
  readonly created_at: string;
  readonly environment: string;
  readonly results: readonly ItemResult[];
  readonly message: string;
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

/** Makes the verifier: rows 5 to 16 of verify.md 1.1, in their order. */
export function createRequestVerifier(parts: VerifyParts): RequestVerifier {
  const { backend } = parts.engine.stats();
  const externalNullifierOf = createExternalNullifiers();

  return async function verifyRequest(call) {
    let appId: string | undefined;
    let judged: Judged | undefined;
    try {
      const request = parts.parse(call.body);
      judged = await withDeadline(parts.deadlineMs, call.signal, (signal) =>
        judge(request, { ...call, signal }, (found) => {
          appId = found;
        }),
      );
      const success = await settle(judged, call.requestId);
      return { ...success, facts: factsOf(appId, judged) };
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
    onResolved: (appId: string) => void,
  ): Promise<Judged> {
    const { appId } = await parts.relyingParties.find(call.id, onResolved);
    const context = {
      environment: request.environment,
      externalNullifier: externalNullifierOf(appId, request.action),
      roots: parts.roots,
      keys: parts.keys,
      now: parts.now,
    };
    const items = await Promise.all(request.items.map((item) => prepareItem(item, context)));
    const codes = await runEngine(items, `${call.source} ${appId}`, call);
    const results = request.items.map((item, index) => itemResult(item, codes[index]));
    call.signal.throwIfAborted();
    const judged = { request, appId, items, codes, results };
    countItems(parts.metrics, backend, judged);
    return judged;
  }

  /** Puts all ready items into the queue in one turn of the event loop, identical ones once, or refuses. */
  async function runEngine(
    items: readonly PreparedItem[],
    source: string,
    call: VerifyCall,
  ): Promise<readonly (ErrorCode | undefined)[]> {
    const asked = new Map<string, ReadyItem>();
    const names = items.map((item, index) => {
      if (item.code !== undefined) return undefined;
      const name = items.length === 1 ? String(index) : identity(item);
      asked.set(name, item);
      return name;
    });
    call.signal.throwIfAborted();
    if (asked.size > 0 && !parts.engine.canAccept(asked.size)) throw new ServiceError('engine.busy');
    const verdicts = new Map<string, Promise<ErrorCode | undefined>>();
    for (const [name, item] of asked) verdicts.set(name, askEngine(item, source, call));
    return Promise.all(
      items.map((item, index) => {
        if (item.code === undefined) return verdicts.get(names[index] ?? '');
        if (item.code === 'engine.key_unknown') parts.onFault(item.cause, call.requestId);
        return item.code;
      }),
    );
  }

  async function askEngine(
    item: ReadyItem,
    source: string,
    call: VerifyCall,
  ): Promise<ErrorCode | undefined> {
    const { keyId, proof, inputs } = item;
    let code: ErrorCode | undefined;
    try {
      code = verdictCode(await parts.engine.verify(keyId, proof, inputs, { source, signal: call.signal }));
    } catch (fault) {
      parts.onFault(fault, call.requestId);
      return 'internal.unforeseen';
    }
    // all of a request or nothing: one item without a place refuses the request
    if (code === 'engine.busy') throw new ServiceError('engine.busy');
    return code;
  }

  /** Rows 13 to 15: nothing verified, or the record of the first that did. */
  async function settle(
    { request, appId, items, codes, results }: Judged,
    requestId: string,
  ): Promise<{ ok: true; body: VerifySuccess; isReuse: boolean }> {
    const first = items.find((item, index): item is ReadyItem => codes[index] === undefined && !item.code);
    if (first === undefined) {
      const isOurs = results.some((result) => !result.success && result.code === 'internal_error');
      throw new ServiceError(isOurs ? 'verify.all_failed_internal' : 'verify.all_failed');
    }
    const { action, actionDescription, environment } = request;
    const { isNew, createdAt } = await recordNullifier(parts.nullifiers, {
      environment,
      nullifier: first.nullifier,
      appId,
      action,
      actionDescription,
      requestId,
      createdAt: parts.now(),
    });
    if (!isNew) parts.metrics.verifyNullifierReuseTotal.inc({ environment });
    const body: VerifySuccess = {
      success: true,
      action,
      nullifier: toHex(first.nullifier),
      created_at: new Date(createdAt).toISOString(),
      environment,
      results,
      message: `Proof verified successfully${isNew ? '' : ' (nullifier reuse)'}`,
    };
    return { ok: true, body, isReuse: !isNew };
  }
}

function identity({ keyId, proof, inputs }: ReadyItem): string {
  return `${keyId} ${Buffer.from(proof).toString('latin1')}${Buffer.from(inputs).toString('latin1')}`;
}

function isAllFailed(error: ServiceError): boolean {
  return error.code === 'verify.all_failed' || error.code === 'verify.all_failed_internal';
}
