import { isEqual } from '../../bytes.ts';
import type { Config } from '../../config/settings/types.ts';
import type { Engine, Refusal, Verdict } from '../../engine/index.ts';
import { ServiceError } from '../../errors/index.ts';
import { type KeyRegistry, readKey } from '../../membership/index.ts';
import { TREE_DEPTH } from '../../semaphore/index.ts';
import type { Bytes32, RefreshGuardStore, Store } from '../../storage/index.ts';
import type { CancelSignal } from '../../waiting/index.ts';
import type { Holder } from '../types.ts';
import { challengeHash, challengeIn } from './challenges.ts';
import type { HolderProof } from './decode-proof-header.ts';
import { authenticationInputs } from './statement.ts';

/** What holder proofs are checked with. */
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

/** How one proof is checked. */
export interface HolderCheckOptions {
  /** Client address as rate limits take it: sources of bad proofs are batched apart. */
  readonly source: string;
  /** Fires when nobody waits for the answer any more. */
  readonly signal: CancelSignal;
}

/** The check of the holder proof (spec/refresh.md#order-of-checks, holder-proof). */
export interface HolderCheck {
  /**
   * Resolves when the proof shows that its maker is this holder, for this service, and in freshness mode for a
   * challenge that it has used up by that.
   *
   * @throws ServiceError `refresh.proof_invalid` with the rule: `id_commitment`, `sub`, `external_nullifier`,
   * `challenge`, `proof`, `proof.false` or the engine's refusal. Nothing is said of the proof by `engine.busy`,
   * `engine.draining`, `engine.cancelled`, `engine.worker_failed`, `engine.key_unknown`, `key.*`, `store.unreachable`.
   */
  check(proof: HolderProof, holder: Holder, options: HolderCheckOptions): Promise<void>;
}

const CHECK = 9;
/** Stands where a verification has an app: no app has this id. */
const SOURCE_APP = 'refresh';
const WORD_BYTES = 32;
const B_Y_WORD = 4;
/** Refusals that say nothing of the proof. */
const UNDECIDED: ReadonlySet<Refusal> = new Set<Refusal>([
  'engine.busy',
  'engine.draining',
  'engine.cancelled',
  'engine.key_unknown',
]);

/**
 * Makes the check of holder proofs under the configured verifying key, in the order of
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

  /** Gives the hash of the challenge that is to be taken once the proof has held. */
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
 * Whether the engine would read the proof as compressed: B.y and C are zero. The form of a holder proof is the eight
 * uncompressed words, which no proof of a prover spells so: y = 0 makes a point of order 2, and the order of the twist
 * is odd; B and C both at infinity have no uncompressed spelling (spec/verification.md#compressed-proofs).
 */
function isCompressed(proof: Uint8Array): boolean {
  return proof.subarray(B_Y_WORD * WORD_BYTES).every((byte) => byte === 0);
}

// `engine.poison` is a refusal of the proof too: a 503 would bring back what ends workers.
function judge({ ok, code }: Verdict): void {
  if (ok) return;
  if (code !== undefined && UNDECIDED.has(code)) throw new ServiceError(code, undefined, { check: CHECK });
  throw invalid(code ?? 'proof.false');
}
