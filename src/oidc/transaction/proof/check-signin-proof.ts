import { isStaging } from '../../../apps/index.ts';
import type { Engine, Verdict } from '../../../engine/index.ts';
import { isServiceError } from '../../../errors/index.ts';
import type { KeyRegistry } from '../../../membership/keys/key-registry.ts';
import { externalNullifier, hashSignal } from '../../../semaphore/index.ts';
import type { Bytes32, Level, RootRow } from '../../../storage/index.ts';
import { parseSigninProof } from '../bridge/parse-answer.ts';
import { findSigninRoot, type SigninRootParts } from './find-signin-root.ts';
import type { FailureCode, RefusalCode } from './reasons.ts';

/** What a proof is checked with. */
export interface ProofCheckParts extends SigninRootParts {
  readonly engine: Pick<Engine, 'verify'>;
  readonly keys: KeyRegistry;
  /** Told of a fault of ours: a root without a key that can be used. */
  readonly onFault: (fault: unknown) => void;
}

/** What a proof must show. */
export interface ProofClaim {
  readonly clientId: string;
  /** The server's own signal. */
  readonly signal: string;
  readonly requiresOrb: boolean;
  /** Client address as rate limits take it; with the client it is the source of the proof. */
  readonly address: string;
  /** The wallet's answer: `proof`, `merkle_root`, `nullifier_hash`, and members that are not read. */
  readonly answer: Readonly<Record<string, unknown>>;
}

/** What a check came to. */
export type ProofOutcome =
  | { readonly kind: 'accepted'; readonly sub: Bytes32; readonly level: Level; readonly signalHash: Bytes32 }
  /** Another proof may do. */
  | { readonly kind: 'failed'; readonly code: FailureCode }
  /** The proof holds, but another tree was asked for. */
  | { readonly kind: 'refused'; readonly code: RefusalCode }
  /** The engine takes no work now: the same proof is to be checked again later. */
  | { readonly kind: 'busy' };

/**
 * Checks a proof of humanity for a client (spec/sign-in.md#proof-checks, format to level), against the
 * server's own signal and external nullifier, so that a proof made for another sign-in or another client is
 * false.
 *
 * @throws ServiceError `store.unreachable`, `engine.worker_failed`; nothing is said of the proof then
 */
export async function checkSigninProof(
  { clientId, signal, requiresOrb, address, answer }: ProofClaim,
  parts: ProofCheckParts,
): Promise<ProofOutcome> {
  const parsed = parseSigninProof(answer);
  if (!parsed) return failed('transaction.answer_format');
  const environment = isStaging(clientId) ? 'staging' : 'production';
  const found = await findSigninRoot(environment, parsed.root, parts);
  if (found.code !== undefined) return failed(found.code);
  const { row, level } = found;
  const keyId = await usableKey(row, parts);
  if (keyId === undefined) return failed('transaction.check_failed');

  const signalHash = hashSignal(signal);
  const inputs = Buffer.concat([parsed.root, parsed.nullifier, signalHash, externalNullifier(clientId, '')]);
  const source = { address, app: clientId };
  const verdict = await parts.engine.verify(keyId, parsed.proof, inputs, { source });
  if (isUndecided(verdict)) return { kind: 'busy' };
  if (!verdict.ok) return failed('transaction.proof_invalid');
  if (requiresOrb && level !== 'orb') return { kind: 'refused', code: 'transaction.orb_required' };
  return { kind: 'accepted', sub: parsed.nullifier, level, signalHash };
}

const failed = (code: FailureCode): ProofOutcome => ({ kind: 'failed', code });

/** The key of a root, in the engine; undefined when there is none that can be used. */
async function usableKey(
  row: RootRow,
  { keys, onFault }: Pick<ProofCheckParts, 'keys' | 'onFault'>,
): Promise<string | undefined> {
  const keyId = row.keyId ?? keys.keyOf(row.environment, row.tree);
  try {
    if (keyId === undefined) throw new Error(`no verifying key for tree ${row.tree} of ${row.environment}`);
    await keys.ensure(keyId);
    return keyId;
  } catch (fault) {
    if (isServiceError(fault, 'store.unreachable')) throw fault;
    onFault(fault);
    return undefined;
  }
}

function isUndecided({ code }: Verdict): boolean {
  return code === 'engine.busy' || code === 'engine.draining' || code === 'engine.cancelled';
}
