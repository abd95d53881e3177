import type { WalletUrls } from '../../../pages.ts';

/** A secret identity; `0x` and hex digits. It is passed between page and worker only. */
export interface ProverIdentity {
  readonly trapdoor: string;
  readonly nullifier: string;
}

/** Inclusion proof of the identity in its tree; words are `0x` and hex digits. */
export interface ProverInclusion {
  readonly root: string;
  readonly index: number;
  /** One node per level, from the sibling of the leaf up. */
  readonly siblings: readonly string[];
}

/** Inputs of a proof; words are `0x` and hex digits. */
export interface ProofJob {
  readonly identity: ProverIdentity;
  readonly inclusion: ProverInclusion;
  readonly signalHash: string;
  readonly externalNullifier: string;
}

/** A finished proof, as the interfaces encode it. */
export interface FinishedProof {
  /** `0x` and 512 hex digits. */
  readonly proof: string;
  readonly merkleRoot: string;
  readonly nullifierHash: string;
}

/** Messages from the page to the worker. `start` comes first, once. */
export type ProverCall =
  | { readonly kind: 'start'; readonly urls: WalletUrls }
  | { readonly kind: 'commitment'; readonly id: number; readonly identity: ProverIdentity }
  | { readonly kind: 'prove'; readonly id: number; readonly job: ProofJob };

/** Progress of a proof. */
export interface ProofProgress {
  /** Fraction done, 0 to 1. */
  readonly share: number;
  /** Current stage, as text for the person. */
  readonly text: string;
}

/** Messages from the worker: for each call any number of `progress`, then one of the others. */
export type ProverAnswer =
  | { readonly kind: 'progress'; readonly id: number; readonly progress: ProofProgress }
  | { readonly kind: 'commitment'; readonly id: number; readonly commitment: string }
  | { readonly kind: 'proof'; readonly id: number; readonly proof: FinishedProof }
  | {
      readonly kind: 'failed';
      readonly id: number;
      readonly fault: 'circuit' | 'proof';
      readonly text: string;
    };
