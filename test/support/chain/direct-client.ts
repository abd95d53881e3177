import type { RpcClient } from '../../../src/chain/rpc/rpc-client.ts';
import { classifyError } from '../../../src/chain/rpc/rpc-failure.ts';
import type { Behaviour } from './behaviours.ts';
import type { RpcBackend } from './scripted-chain.ts';

/** A client without HTTP, whose behaviour a test can change at any time. */
export interface DirectClient extends RpcClient {
  /** Alters the answers; undefined for an honest provider. */
  behaviour: Behaviour | undefined;
  /** Calls so far. */
  readonly calls: { readonly method: string; readonly params: readonly unknown[] }[];
}

/** Creates a client that calls a backend directly: the same outcomes as over HTTP, fast enough for many histories. */
export function createDirectClient(backend: RpcBackend, host: string, behaviour?: Behaviour): DirectClient {
  const calls: DirectClient['calls'] = [];
  return {
    host,
    hostname: host,
    behaviour,
    calls,
    async call(method, params) {
      calls.push({ method, params });
      const outcome = await (this.behaviour?.(backend) ?? backend)(method, params);
      if ('error' in outcome) throw classifyError(outcome.error, { method, status: 200 });
      // A copy, as after JSON over HTTP.
      return structuredClone(outcome.result);
    },
  };
}
