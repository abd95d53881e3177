/** Ways in which a provider alters what its chain answers: limits, failures and lies. */
import type { RpcBackend, RpcError, RpcOutcome } from './scripted-chain.ts';

/** Alters a backend. */
export type Behaviour = (backend: RpcBackend) => RpcBackend;

/** A log in JSON. */
export interface ShownLog extends Record<string, unknown> {
  readonly topics: readonly string[];
  readonly data: string;
  readonly blockNumber: string;
}

/** A block in JSON. */
export interface ShownBlock extends Record<string, unknown> {
  readonly number: string;
  readonly timestamp: string;
}

/** Answers each call with an error. */
export function failing(error: RpcError, ...methods: readonly string[]): Behaviour {
  return (backend) => async (method, params) =>
    methods.length === 0 || methods.includes(method) ? { error } : backend(method, params);
}

/** Answers a call with a result of its own. */
export function answering(result: unknown, method: string): Behaviour {
  return (backend) => async (asked, params) => (asked === method ? { result } : backend(asked, params));
}

/** Has not seen the newest blocks, and answers ranges that reach above its head with the logs that it has. */
export function lagging(blocks: number): Behaviour {
  return (backend) => async (method, params) => {
    if (method !== 'eth_getBlockByNumber' && method !== 'eth_getLogs') return backend(method, params);
    const latest = (await blockOf(backend, 'latest')) as ShownBlock;
    const head = Math.max(Number(latest.number) - blocks, 0);
    if (method === 'eth_getBlockByNumber') {
      const [name] = params;
      if (name === 'latest') return backend(method, [toHex(head), false]);
      return Number(name) > head ? { result: null } : backend(method, params);
    }
    return mapLogs(await backend(method, params), (logs) =>
      logs.filter(({ blockNumber }) => Number(blockNumber) <= head),
    );
  };
}

/** Answers each `eth_getLogs` with an empty list, as a load balancer does whose back-end has not seen the blocks. */
export const silent: Behaviour = answering([], 'eth_getLogs');

/** Refuses ranges of more blocks. */
export function limited(maxBlocks: number, error: RpcError): Behaviour {
  return (backend) => async (method, params) => {
    if (method !== 'eth_getLogs') return backend(method, params);
    const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
    const blocks = Number(toBlock) - Number(fromBlock) + 1;
    return blocks > maxBlocks ? { error } : backend(method, params);
  };
}

/** Takes no block hash in `eth_call` (EIP-1898). */
export const withoutBlockHashes: Behaviour = (backend) => async (method, params) => {
  if (method === 'eth_call' && typeof params[1] === 'object') {
    return { error: { code: -32_602, message: 'invalid argument 1: json: cannot unmarshal object' } };
  }
  return backend(method, params);
};

/** Alters logs, for example to another root, without one of them, or out of order. */
export function alteringLogs(alter: (logs: readonly ShownLog[]) => readonly unknown[]): Behaviour {
  return (backend) => async (method, params) => {
    const outcome = await backend(method, params);
    return method === 'eth_getLogs' ? mapLogs(outcome, alter) : outcome;
  };
}

/** Alters blocks, for example to another hash or time. */
export function alteringBlocks(alter: (block: ShownBlock) => unknown): Behaviour {
  return (backend) => async (method, params) => {
    const outcome = await backend(method, params);
    const isBlock = method === 'eth_getBlockByNumber' && 'result' in outcome && outcome.result !== null;
    return isBlock ? { result: alter(outcome.result as ShownBlock) } : outcome;
  };
}

/** Alters results of view functions. */
export function alteringCalls(alter: (result: string) => unknown): Behaviour {
  return (backend) => async (method, params) => {
    const outcome = await backend(method, params);
    return method === 'eth_call' && 'result' in outcome ? { result: alter(String(outcome.result)) } : outcome;
  };
}

/** Applies several behaviours, the last one next to the caller. */
export function all(...behaviours: readonly Behaviour[]): Behaviour {
  return (backend) => behaviours.reduce((altered, behaviour) => behaviour(altered), backend);
}

async function blockOf(backend: RpcBackend, name: string): Promise<unknown> {
  const outcome = await backend('eth_getBlockByNumber', [name, false]);
  return 'result' in outcome ? outcome.result : undefined;
}

function mapLogs(outcome: RpcOutcome, alter: (logs: readonly ShownLog[]) => readonly unknown[]): RpcOutcome {
  return 'result' in outcome ? { result: alter(outcome.result as readonly ShownLog[]) } : outcome;
}

function toHex(value: number): string {
  return `0x${value.toString(16)}`;
}
