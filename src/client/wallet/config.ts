import type { CircuitStatus } from '../circuit-status.ts';

/**
 * What the server tells the wallet page, as JSON in `data-config` of `<main id="wallet">`. An address is absolute, or
 * a path that counts from the origin of the page: the service behind a port of its own choice knows no other.
 */
export interface WalletConfig {
  /** Path of the service: empty, or `/…` without a slash at the end. The calls of the wallet lie below it. */
  readonly basePath: string;
  /** What stands before `/api/v4/verify/{rp_id}`; a path alone, which may be empty, where this service verifies. */
  readonly verifyUrl: string;
  /** The service's own bridge; a request that lies on another one is shown with its host. */
  readonly bridgeUrl: string;
  /** Whether the page can prove, when it was drawn. */
  readonly circuit: CircuitStatus;
  /** Where the service answers with a `CircuitStatus`. */
  readonly circuitUrl: string;
  readonly urls: WalletUrls;
}

/** Addresses of what the prover loads. */
export interface WalletUrls {
  /** Classic script of the worker that proves. */
  readonly worker: string;
  /** The browser file of snarkjs, which the worker loads. */
  readonly snarkjs: string;
  /** Our WASM build, for Poseidon. */
  readonly cryptoWasm: string;
  /** Witness code of the development circuit, a WASM file. */
  readonly witnessCode: string;
  /** Proving key of the development circuit, a zkey. */
  readonly provingKey: string;
}

/** A tree of people, as the development profile has them. */
export type Tree = 'orb' | 'device';

/** Every tree, the one that says most about a person first. */
export const TREES: readonly Tree[] = ['orb', 'device'];

/** What a tree is called on the page. */
export const TREE_NAMES: Readonly<Record<Tree, string>> = { orb: 'Orb', device: 'Device' };
