import { signinEnvironment, signinPolicy } from '../../apps/signin-policy.ts';
import type { Engine, Verdict } from '../../engine/engine.ts';
import { isServiceError } from '../../errors/service-error.ts';
import type { KeyRegistry } from '../../membership/keys/key-registry.ts';
import type { RootRegistry } from '../../membership/roots/root-registry.ts';
import { checkRoot } from '../../membership/roots/root-registry.ts';
import { externalNullifier, hashSignal } from '../../semaphore/hashes.ts';
import { toHex } from '../../semaphore/hex.ts';
import type { AppRow } from '../../storage/apps/apps.ts';
import type { RootRow } from '../../storage/roots.ts';
import type { Bytes32, Environment, Level } from '../../storage/values.ts';
import type { FailureCode, RefusalCode } from './reasons.ts';
import { parseSigninProof } from './wallet-messages.ts';

/** Trees of sign-in, in search order: a person in both has level `orb`. */
const LEVELS: readonly Level[] = ['orb', 'device'];

/** An accepted root with the level of its tree, or the code of the failure. */
export type SigninRoot =
  | { readonly code?: undefined; readonly row: RootRow; readonly level: Level }
  | { readonly code: 'transaction.root_unknown' | 'transaction.root_too_old' };

/** Dependencies of `findSigninRoot`. */
export interface SigninRootParts {
  readonly roots: RootRegistry;
  readonly maxRootAgeSeconds: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Finds a Merkle root (spec/sign-in.md#proof-checks, root) in the first tree in which it is current or recent enough.
 *
 * @throws ServiceError `store.unreachable`
 */
async function findSigninRoot(
  environment: Environment,
  root: Bytes32,
  { roots, maxRootAgeSeconds, now }: SigninRootParts,
): Promise<SigninRoot> {
  let isKnown = false;
  for (const level of LEVELS) {
    const row = await roots.find(environment, level, root);
    if (!row) continue;
    isKnown = true;
    if (checkRoot(row, maxRootAgeSeconds, now()).isAccepted) return { row, level };
  }
  return { code: isKnown ? 'transaction.root_too_old' : 'transaction.root_unknown' };
}

/**
 * Queries the sources of the trees for an unknown root (spec/roots.md#misses); only of trees under whose key the proof
 * is valid.
 *
 * @param statement - The root, and the bytes of proof and public inputs.
 * @param isValid - Checks the proof under a key; undefined if the engine has no room now.
 * @returns Undefined if the engine has no room now.
 * @throws ServiceError `store.unreachable`, `engine.worker_failed`
 */
async function refreshSigninRoot(
  environment: Environment,
  { root, bytes }: { readonly root: Bytes32; readonly bytes: Uint8Array },
  { roots, keys, maxRootAgeSeconds, now }: SigninRootParts & { readonly keys: Pick<KeyRegistry, 'keyOf'> },
  isValid: (keyId: string) => Promise<boolean | undefined>,
): Promise<SigninRoot | undefined> {
  for (const level of LEVELS) {
    const refresh = roots.refreshOf?.(environment, level);
    const keyId = refresh && keys.keyOf(environment, level);
    if (refresh === undefined || keyId === undefined) continue;
    const verdict = await isValid(keyId);
    if (verdict === undefined) return undefined;
    const row = verdict ? await refresh(root, { bytes, maxAgeSeconds: maxRootAgeSeconds }) : undefined;
    if (row === undefined) continue;
    const { isAccepted } = checkRoot(row, maxRootAgeSeconds, now());
    return isAccepted ? { row, level } : { code: 'transaction.root_too_old' };
  }
  return { code: 'transaction.root_unknown' };
}

/** Dependencies of `checkSigninProof`. */
export interface ProofCheckParts extends SigninRootParts {
  readonly engine: Pick<Engine, 'verify'>;
  readonly keys: KeyRegistry;
  /** Receives internal errors: the root has no usable key. */
  readonly onFault: (fault: unknown) => void;
}

/** Input of `checkSigninProof`: the answer of a wallet, and the requirements on its proof. */
export interface ProofClaim {
  /** The client with its present policy. */
  readonly app: Pick<AppRow, 'appId' | 'policy'>;
  /** The signal of the attempt, from the server. */
  readonly signal: string;
  readonly requiresOrb: boolean;
  /** `sub` of the expected person; absent if anyone may sign in. */
  readonly hintedSub?: string | undefined;
  /** Returns the sub that a nullifier was added to, or the same one; absent while nobody can add any. */
  readonly resolve?: ((nullifier: Bytes32) => Promise<Bytes32>) | undefined;
  /** Client address as used for rate limits; together with the client it identifies the source of the proof. */
  readonly address: string;
  /** The wallet's answer: `proof`, `merkle_root`, `nullifier_hash`, and members that are ignored. */
  readonly answer: Readonly<Record<string, unknown>>;
}

/** Outcome of a check. */
export type ProofOutcome =
  | { readonly kind: 'accepted'; readonly sub: Bytes32; readonly level: Level; readonly signalHash: Bytes32 }
  /** The proof is not accepted; another may be. */
  | { readonly kind: 'failed'; readonly code: FailureCode }
  /** The proof is valid but for a tree that is not accepted or of another person, or the policy allows no proof. */
  | { readonly kind: 'refused'; readonly code: RefusalCode }
  /** The queue of the engine is full: check the same proof again later. */
  | { readonly kind: 'busy' };

/**
 * Checks a proof of humanity for a client (spec/sign-in.md#proof-checks, format to level), against the
 * server's own signal and external nullifier, so that a proof for another sign-in or client is false.
 *
 * @throws ServiceError `store.unreachable`, `engine.worker_failed`; the proof is then neither accepted nor
 *   refused
 */
export async function checkSigninProof(
  { app, signal, requiresOrb, hintedSub, resolve, address, answer }: ProofClaim,
  proofParts: ProofCheckParts,
): Promise<ProofOutcome> {
  const { appId: clientId, policy } = app;
  const allowed = signinPolicy(app, undefined);
  if (allowed.code !== undefined) return { kind: 'refused', code: allowed.code };
  const { maxRootAgeSeconds = Number.POSITIVE_INFINITY } = policy;
  const parts = {
    ...proofParts,
    maxRootAgeSeconds: Math.min(proofParts.maxRootAgeSeconds, maxRootAgeSeconds),
  };
  const parsed = parseSigninProof(answer);
  if (!parsed) return failed('transaction.answer_format');
  const environment = signinEnvironment(clientId);
  const signalHash = hashSignal(signal);
  const inputs = Buffer.concat([parsed.root, parsed.nullifier, signalHash, externalNullifier(clientId, '')]);
  const source = { address, app: clientId };
  const verify = (keyId: string): Promise<Verdict> =>
    parts.engine.verify(keyId, parsed.proof, inputs, { source });

  let found: SigninRoot | undefined = await findSigninRoot(environment, parsed.root, parts);
  if (found.code === 'transaction.root_unknown') {
    const bytes = Buffer.concat([parsed.proof, inputs]);
    found = await refreshSigninRoot(environment, { root: parsed.root, bytes }, parts, async (keyId) => {
      if (!(await isUsable(keyId, parts))) return false;
      const verdict = await verify(keyId);
      return isUndecided(verdict) ? undefined : verdict.ok;
    });
  }
  if (found === undefined) return { kind: 'busy' };
  if (found.code !== undefined) return failed(found.code);
  const { row, level } = found;
  const keyId = row.keyId ?? parts.keys.keyOf(row.environment, row.tree);
  if (keyId === undefined)
    parts.onFault(new Error(`no verifying key for tree ${row.tree} of ${environment}`));
  if (keyId === undefined || !(await isUsable(keyId, parts))) return failed('transaction.check_failed');

  const verdict = await verify(keyId);
  if (isUndecided(verdict)) return { kind: 'busy' };
  if (!verdict.ok) return failed('transaction.proof_invalid');
  const sub = resolve === undefined ? parsed.nullifier : await resolve(parsed.nullifier);
  if (hintedSub !== undefined && hintedSub !== toHex(sub)) {
    return { kind: 'refused', code: 'transaction.other_person' };
  }
  if (requiresOrb && level !== 'orb') return { kind: 'refused', code: 'transaction.orb_required' };
  if (!allowed.levels.includes(level)) return { kind: 'refused', code: 'policy.credential_not_allowed' };
  return { kind: 'accepted', sub, level, signalHash };
}

const failed = (code: FailureCode): ProofOutcome => ({ kind: 'failed', code });

/** Whether the engine has or can load a key for the proof; reports the cause if not. */
async function isUsable(
  keyId: string,
  { keys, onFault }: Pick<ProofCheckParts, 'keys' | 'onFault'>,
): Promise<boolean> {
  try {
    await keys.ensure(keyId);
    return true;
  } catch (fault) {
    if (isServiceError(fault, 'store.unreachable')) throw fault;
    onFault(fault);
    return false;
  }
}

function isUndecided({ code }: Verdict): boolean {
  return code === 'engine.busy' || code === 'engine.draining' || code === 'engine.cancelled';
}
