/** Messages between a page and the worker that runs its engine. All bytes are copies and are transferred. */
import type { BackendChoice, WasmArithmetic } from '../../../engine/backends/backend.ts';
import type { CoreVerdict } from '../../facade/engine-core.ts';

/** Calls by name, with the types of their parameters and results. */
export interface WorkerCalls {
  readonly start: {
    readonly takes: {
      readonly backend: BackendChoice;
      readonly maxBatch: number;
      /** If absent, the worker fetches the file of the package. */
      readonly module: WebAssembly.Module | undefined;
    };
    readonly gives: { readonly arithmetic: WasmArithmetic; readonly reason: string };
  };
  readonly addKey: {
    readonly takes: { readonly keyId: string; readonly key: Uint8Array; readonly acceptsDegenerate: boolean };
    readonly gives: number;
  };
  readonly verify: {
    /** `statements` of one length, joined. */
    readonly takes: { readonly keyId: string; readonly statements: Uint8Array; readonly count: number };
    readonly gives: readonly CoreVerdict[];
  };
}

/** Name of a call. */
export type CallName = keyof WorkerCalls;

/** A call of the page. */
export type WorkerRequest = {
  [Name in CallName]: { readonly id: number; readonly name: Name; readonly data: WorkerCalls[Name]['takes'] };
}[CallName];

/** Answer to the call of the same `id`. */
export type WorkerAnswer =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly code: string; readonly message: string };

/** Thread, or end of a port, that exchanges these messages. */
export interface MessageEnd {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  /** @param listener - Receives a `MessageEvent` or `ErrorEvent`. */
  addEventListener(type: string, listener: (event: object) => void): void;
}
