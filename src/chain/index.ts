/**
 * Facts of Ethereum and its rollups, read over JSON-RPC from several providers that need not be trusted one by one. Rules:
 * spec/roots.md#json-rpc and spec/roots.md#quorum.
 */

export { type Disagreement, NoQuorum, type NoQuorumReason } from './agree.ts';
export {
  Chain,
  type ChainOptions,
  type ChainSetup,
  type ChainWarning,
  CLOCK_OFFSET_SECONDS,
  type Confirmations,
  createChain,
  oldHeadSeconds,
} from './chain.ts';
export { type Probed, type ProbeInput, type ProviderFacts, probeProvider } from './probe.ts';
export { type BlockId, type CallObserver, Provider, type ProviderOptions } from './provider/provider.ts';
export type { ProviderStatus, Suspension } from './provider/provider-health.ts';
export type { Block, CallResult, ContractCall, EventShape, Log, LogQuery } from './rpc/answers.ts';
export { createRpcClient, type RpcClient, type RpcLimits } from './rpc/rpc-client.ts';
export { RpcFailure, type RpcFailureClass } from './rpc/rpc-failure.ts';
