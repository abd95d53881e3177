import type { Engine } from '../../engine/index.ts';
import type { ServiceError } from '../../errors/index.ts';
import type { KeyRegistry } from '../../membership/keys/key-registry.ts';
import type { RootRegistry } from '../../membership/roots/root-registry.ts';
import type { NullifierStore } from '../../storage/index.ts';
import { type CancelSignal, Deadlines } from '../../waiting/index.ts';
import type { RequestParser } from '../request/parse-request.ts';
import { createExternalNullifiers } from './external-nullifiers.ts';
import type { RelyingParties } from './find-relying-party.ts';
import type { VerifyFacts, VerifyMetrics } from './request-telemetry.ts';
import type { VerifySuccess } from './success-body.ts';
import type { ItemResult } from './verify-item.ts';
import { type RunParts, VerifyRun } from './verify-run.ts';

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
  readonly nullifiers: Pick<NullifierStore, 'recordFor'>;
  readonly metrics: VerifyMetrics;
  readonly deadlineMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Told of faults of ours that one item met. */
  readonly onFault: (fault: unknown, requestId: string) => void;
}

/** Who is told how a call ended. */
export interface OutcomeReceiver {
  /** Called once, perhaps before the verifier returns. Must not throw. */
  ended(outcome: VerifyOutcome): void;
}

/** Verifies the items of a request and records the nullifier of the first that holds. */
export type RequestVerifier = (call: VerifyCall, receiver: OutcomeReceiver) => void;

/** Makes the verifier. */
export function createRequestVerifier(parts: VerifyParts): RequestVerifier {
  const runParts: RunParts = {
    ...parts,
    backend: parts.engine.stats().backend,
    deadlines: new Deadlines(parts.deadlineMs),
    externalNullifierOf: createExternalNullifiers(),
  };
  return (call, receiver) => new VerifyRun(runParts, call, receiver).start();
}
