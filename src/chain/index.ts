/**
 * Facts of Ethereum and its rollups, read over JSON-RPC from several providers that need not be trusted one by one. Rules:
 * spec/roots.md#json-rpc and spec/roots.md#quorum.
 */

export { Chain, type ChainOptions, type Confirmations, type Disagreement, NoQuorum } from './chain.ts';
export {
  type BlockId,
  type CallResult,
  type ContractCall,
  Provider,
  type ProviderOptions,
} from './provider.ts';
export type { Block, EventShape, Log, LogQuery } from './rpc/answers.ts';
export { createRpcClient, type RpcLimits } from './rpc/rpc-client.ts';
export { RpcFailure, type RpcFailureClass } from './rpc/rpc-failure.ts';
