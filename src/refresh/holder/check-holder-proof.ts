/**
 * Authentication of the holder: the header `x-zkp-proof` and its proof of the identity behind idComm (checks
 * 7 to 9 of spec/refresh.md#order-of-checks), the count of attempts and the challenges of freshness mode.
 */

import { isEqual } from '../../bytes.ts';
import type { Config } from '../../config/settings/types.ts';
import type { Engine, Refusal, Verdict } from '../../engine/engine.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { KeyRegistry } from '../../membership/keys/key-registry.ts';
import { readKey } from '../../membership/keys/verifying-keys.ts';
import { hashToField } from '../../semaphore/hashes.ts';
import { TREE_DEPTH } from '../../semaphore/merkle-tree.ts';
import type { RefreshGuardStore } from '../../storage/refresh/guards.ts';
import type { Store } from '../../storage/store.ts';
import type { Bytes32 } from '../../storage/values.ts';
import type { Holder } from '../types.ts';
import { challengeHash, challengeIn } from './challenges.ts';
import type { HolderProof } from './decode-proof-header.ts';

/** Statement of an authentication proof (spec/credential.md#authentication-proof). */
export interface AuthenticationStatement {
  readonly idCommitment: Bytes32;
  readonly nullifierHash: Bytes32;
  /** Bytes of the signal of the proof. */
  readonly signal: Uint8Array;
  /** Pre-image of the external nullifier. */
  readonly externalNullifier: Uint8Array;
}

/**
 * Computes the public inputs of an authentication proof, 128 bytes: the root of the tree with idCommitment as the only
 * leaf, the nullifier hash, the hash of the signal, and the hash of the external nullifier.
 *
 * @param depth - Tree depth of the circuit.
 * @throws ServiceError `engine.busy`, `engine.draining`, `engine.worker_failed`
 */
export async function authenticationInputs(
  engine: Pick<Engine, 'oneLeafRoot'>,
  { idCommitment, nullifierHash, signal, externalNullifier }: AuthenticationStatement,
  depth: number,
): Promise<Uint8Array> {
  const root = await engine.oneLeafRoot(idCommitment, depth);
  return Buffer.concat([root, nullifierHash, hashToField(signal), hashToField(externalNullifier)]);
}

/** Dependencies of `createHolderCheck`. */
export interface HolderCheckParts {
  readonly engine: Pick<Engine, 'oneLeafRoot' | 'verify'>;
  readonly keys: Pick<KeyRegistry, 'ensure'>;
  /** Imported verifying keys. */
  readonly store: Pick<Store['verifyingKeys'], 'find'>;
  readonly config: Pick<Config, 'profile' | 'refresh'>;
  readonly guards: Pick<RefreshGuardStore, 'hasChallenge' | 'takeChallenge'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Options of the check of one proof. */
export interface HolderCheckOptions {
  /** Client address as used for rate limits: proofs of suspected sources are batched separately. */
  readonly source: string;
  /** Fires when the client no longer waits for the response. */
  readonly signal: Pick<AbortSignal, 'aborted'>;
}

/** The check of the holder proof (spec/refresh.md#order-of-checks, holder-proof). */
export interface HolderCheck {
  /**
   * Resolves if the proof shows that its creator is this holder, for this service, and in freshness mode for a valid
   * challenge, which is consumed.
   *
   * @throws ServiceError `refresh.proof_invalid` with the rule: `id_commitment`, `sub`, `external_nullifier`,
   *   `challenge`, `proof`, `proof.false` or the engine's refusal. The proof is undecided after `engine.busy`,
   *   `engine.draining`, `engine.cancelled`, `engine.worker_failed`, `engine.key_unknown`, `key.*`,
   *   `store.unreachable`.
   */
  check(proof: HolderProof, holder: Holder, options: HolderCheckOptions): Promise<void>;
}

const CHECK = 9;
/** Replaces the app id of a verification; no app has this id. */
const SOURCE_APP = 'refresh';
const WORD_BYTES = 32;
const B_Y_WORD = 4;
/** Refusals that leave the proof undecided. */
const UNDECIDED: ReadonlySet<Refusal> = new Set<Refusal>([
  'engine.busy',
  'engine.draining',
  'engine.cancelled',
  'engine.key_unknown',
]);

/**
 * Creates the check of holder proofs under the configured verifying key, in the order of
 * spec/refresh.md#proof-check.
 */
export function createHolderCheck(parts: HolderCheckParts): HolderCheck {
  const { engine, keys, store, config, guards, now } = parts;
  const { verificationKey, externalNullifier, challengeRequired } = config.refresh;
  let knownDepth: number | undefined;

  async function depthOfKey(): Promise<number> {
    await keys.ensure(verificationKey);
    if (knownDepth === undefined) {
      const key = await readKey(verificationKey, config.profile, store);
      if (key === undefined) throw new ServiceError('engine.key_unknown');
      knownDepth = key.depth ?? TREE_DEPTH;
    }
    return knownDepth;
  }

  /** Returns the hash of the challenge to consume once the proof is valid. */
  async function checkPreImage(preImage: Uint8Array, at: number): Promise<Bytes32 | undefined> {
    if (!challengeRequired) {
      if (!Buffer.from(externalNullifier, 'utf8').equals(preImage)) throw invalid('external_nullifier');
      return undefined;
    }
    const challenge = challengeIn(preImage, externalNullifier);
    if (challenge === undefined) throw invalid('external_nullifier');
    const hash = challengeHash(challenge);
    if (!(await guards.hasChallenge(hash, at))) throw invalid('challenge');
    return hash;
  }

  return {
    async check(proof, holder, { source, signal }) {
      if (!isEqual(proof.idCommitment, holder.idComm)) throw invalid('id_commitment');
      if (!isEqual(proof.sub, holder.sub)) throw invalid('sub');
      const at = now();
      const challenge = await checkPreImage(proof.externalNullifier, at);
      if (isCompressed(proof.proof)) throw invalid('proof');
      const statement = { ...proof, signal: proof.sub };
      const inputs = await authenticationInputs(engine, statement, await depthOfKey());
      judge(
        await engine.verify(verificationKey, proof.proof, inputs, {
          source: { address: source, app: SOURCE_APP },
          signal,
        }),
      );
      if (challenge !== undefined && !(await guards.takeChallenge(challenge, at))) throw invalid('challenge');
    },
  };
}

function invalid(rule: string): ServiceError {
  return new ServiceError('refresh.proof_invalid', undefined, { check: CHECK, rule });
}

/**
 * Whether the engine would treat the proof as compressed: B.y and C are zero. A holder proof must be eight uncompressed
 * words, and no prover produces this form: a point with y = 0 has order 2, but the order of the twist is odd, and B and
 * C both at infinity have no uncompressed form (spec/verification.md#compressed-proofs).
 */
function isCompressed(proof: Uint8Array): boolean {
  return proof.subarray(B_Y_WORD * WORD_BYTES).every((byte) => byte === 0);
}

// `engine.poison` also refuses the proof: after a 503 the client would resend it, and it ends workers.
function judge({ ok, code }: Verdict): void {
  if (ok) return;
  if (code !== undefined && UNDECIDED.has(code)) throw new ServiceError(code, undefined, { check: CHECK });
  throw invalid(code ?? 'proof.false');
}
