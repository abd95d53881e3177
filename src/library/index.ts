/**
 * The package `proofgate` in Node: Groth16 verification over BN254 in worker threads, on the native addon or on
 * WebAssembly, with the hashes and signatures of the engine. src/docs/library.md has examples. Other runtimes get
 * `web.ts` under the same name.
 */
export type {
  ConversionTarget,
  ConvertedKey,
  ConvertedProof,
  ConvertProofOptions,
  SolidityG1,
  SolidityG2,
  SolidityKey,
} from '../groth16/convert.ts';
export type { KeyForm, KeyFormName, VerifyingKeyForm } from '../groth16/key.ts';
export type { NumberForm } from '../groth16/numbers.ts';
export type { ProofForm, ProofFormName, SnarkjsProofForm } from '../groth16/proof.ts';
export type { SignalsForm } from '../groth16/signals.ts';
export type { SnarkjsG1, SnarkjsG2, SnarkjsKeyJson, SnarkjsProofJson } from '../groth16/snarkjs-json.ts';
export type { Risc0Claim, Risc0Release } from '../groth16/zkvm/risc0.ts';
export type { Semaphore3Statement, Semaphore4Statement } from '../groth16/zkvm/semaphore4.ts';
export type { Sp1Statement } from '../groth16/zkvm/sp1.ts';
export { type ConvertKeyOptions, convertKey, convertProof } from './facade/convert.ts';
export type { Eddsa, EddsaPublicKey } from './facade/crypto-functions.ts';
export type { AddedKey, AddKeyOptions, Engine, Statement, VerifyOptions } from './facade/engine.ts';
export type { EngineStats, Verdict, VerdictCode } from './facade/engine-core.ts';
export type { EngineOptions } from './facade/engine-options.ts';
export { ProofgateError } from './facade/proofgate-error.ts';
export { risc0Signals, semaphoreSignals, sp1Signals } from './facade/signal-functions.ts';
export { createEngine } from './node/create-engine.ts';
export { eddsa, poseidon, poseidon2 } from './node/hashes.ts';
