import type { WalletUrls } from '../../../pages.ts';

/** A secret identity; `0x` and hex digits. It travels between page and worker only. */
export interface ProverIdentity {
  readonly trapdoor: string;
  readonly nullifier: string;
}

/** Where the identity stands in its tree; words are `0x` and hex digits. */
export interface ProverInclusion {
  readonly root: string;
  readonly index: number;
  /** One node a level, from the leaf's neighbour up. */
  readonly siblings: readonly string[];
}

/** What is to be proved. */
export interface ProofJob {
  readonly identity: ProverIdentity;
  readonly inclusion: ProverInclusion;
  readonly signalHash: string;
  readonly externalNullifier: string;
}

/** A finished proof in the words of the interfaces. */
export interface FinishedProof {
  /** `0x` and 512 hex digits. */
  readonly proof: string;
  readonly merkleRoot: string;
  readonly nullifierHash: string;
}

/** What the page asks of the worker. The addresses come first, once. */
export type ProverCall =
  | { readonly kind: 'start'; readonly urls: WalletUrls }
  | { readonly kind: 'commitment'; readonly id: number; readonly identity: ProverIdentity }
  | { readonly kind: 'prove'; readonly id: number; readonly job: ProofJob };

/** How far a proof is. */
export interface ProofProgress {
  /** 0 to 1. */
  readonly share: number;
  /** What is being done, as words for the person. */
  readonly text: string;
}

/** What the worker answers: any number of `progress`, then one of the others. */
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
