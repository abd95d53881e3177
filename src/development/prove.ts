import { readFile } from 'node:fs/promises';
import type { Engine } from '../engine/engine.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { DevelopmentTree } from '../pages.ts';
import { hashToField, type Poseidon } from '../semaphore/hashes.ts';
import { toHex } from '../semaphore/hex.ts';
import { commitmentOf, type Identity, nullifierHashOf } from '../semaphore/identity.ts';
import { oneLeafProof } from '../semaphore/merkle-tree.ts';
import { circuitInput, type MembershipStatement, proofBytes, wordsOf } from '../semaphore/snarkjs-forms.ts';
import type { CircuitFiles } from './circuit-files.ts';
import { DEVELOPMENT_KEY } from './trees.ts';

/** A proof and its public inputs. */
export interface MembershipProof {
  /** 256 bytes, A ‖ B ‖ C, big-endian, G2 as c1 then c0 (EIP-197). */
  readonly proof: Uint8Array;
  /** 128 bytes, from the witness: root, nullifier hash, signal hash, external nullifier. */
  readonly inputs: Uint8Array;
}

/** Engine and key for the check of a proof before it is returned. */
export interface ProofCheck {
  readonly engine: Pick<Engine, 'registerKey' | 'verify' | 'poseidon'>;
  /** Bytes of the key dev-depth30, in the form of `Engine.registerKey`. */
  readonly key: Uint8Array;
}

/**
 * Makes a proof with snarkjs, about 2 s on one thread. Does not check it: a proving key of another setup
 * yields an invalid proof.
 *
 * @throws ServiceError `circuit.tools_missing`, `circuit.prover_failed`
 */
export async function proveMembership(
  statement: MembershipStatement,
  files: Pick<CircuitFiles, 'witnessCode' | 'provingKey'>,
): Promise<MembershipProof> {
  const { groth16 } = await loadSnarkjs();
  const input = circuitInput(statement);
  const { witnessCode, provingKey } = files;
  // One thread: more threads would save a tenth of the time and outlive the proof.
  const prover = { singleThread: true };
  try {
    // Bytes, not paths: snarkjs leaves files open when it fails.
    const [code, key] = await Promise.all([readFile(witnessCode), readFile(provingKey)]);
    const made = await groth16.fullProve(input, code, key, undefined, undefined, prover);
    return { proof: proofBytes(made.proof), inputs: wordsOf(made.publicSignals) };
  } catch (cause) {
    throw new ServiceError(
      'circuit.prover_failed',
      `the prover stopped: ${provingKey} or ${witnessCode} cannot be used`,
      {},
      { cause },
    );
  }
}

/**
 * Makes a proof, checks that its public inputs are those of the statement, and verifies it with the engine.
 *
 * @throws ServiceError `circuit.tools_missing`, `circuit.prover_failed`
 */
export async function proveAndCheck(
  statement: MembershipStatement,
  files: Pick<CircuitFiles, 'witnessCode' | 'provingKey'>,
  { engine, key }: ProofCheck,
): Promise<MembershipProof> {
  const made = await proveMembership(statement, files);
  const { identity, inclusion, signalHash, externalNullifier } = statement;
  const nullifier = await nullifierHashOf(identity, externalNullifier, (inputs) => engine.poseidon(inputs));
  const asked = Buffer.concat([inclusion.root, nullifier, signalHash, externalNullifier]);
  if (!asked.equals(made.inputs)) {
    throw new ServiceError(
      'circuit.prover_failed',
      `the witness code ${files.witnessCode} computes other public inputs than those of the statement`,
    );
  }
  await engine.registerKey(DEVELOPMENT_KEY, key);
  const { ok } = await engine.verify(DEVELOPMENT_KEY, made.proof, made.inputs);
  if (!ok) {
    throw new ServiceError(
      'circuit.prover_failed',
      `the proving key ${files.provingKey} makes proofs that are invalid under ${DEVELOPMENT_KEY}`,
    );
  }
  return made;
}

async function loadSnarkjs(): Promise<typeof import('snarkjs')> {
  try {
    // biome-ignore lint/style/noRestrictedImports: loaded when a command makes a proof, never by the server
    return await import('snarkjs');
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND')) throw cause;
    throw new ServiceError('circuit.tools_missing', 'not installed: snarkjs', {}, { cause });
  }
}

/** A proof with its action. */
export interface ProvenAction {
  /** App id of the relying party. */
  readonly appId: string;
  readonly action: string;
  readonly tree: DevelopmentTree;
  /** 256 bytes. */
  readonly proof: Uint8Array;
  /** 128 bytes: root, nullifier hash, signal hash, external nullifier. */
  readonly inputs: Uint8Array;
  /** Whether the signal is the default; the body then contains none. */
  readonly isDefaultSignal: boolean;
}

/**
 * A body for `POST /api/v4/verify/{rp_id}` (spec/verification.md#request-fields), of the environment
 * `staging`.
 */
export interface VerifyBody {
  readonly protocol_version: '3.0';
  readonly nonce: string;
  readonly action: string;
  readonly environment: 'staging';
  /** For `proof verify`; the interface ignores it and reads the app from the path. */
  readonly app_id: string;
  readonly responses: readonly VerifyBodyItem[];
}

/** One proof of a body. */
export interface VerifyBodyItem {
  readonly identifier: DevelopmentTree;
  readonly merkle_root: string;
  readonly nullifier: string;
  readonly proof: string;
  readonly signal_hash?: string;
}

/** Builds the body of a verification request with one proof. */
export function verifyBody(proven: ProvenAction): VerifyBody {
  const { appId, action, tree, proof, inputs, isDefaultSignal } = proven;
  const input = (index: number): string => toHex(inputs.subarray(32 * index, 32 * index + 32));
  return {
    protocol_version: '3.0',
    nonce: toHex(crypto.getRandomValues(new Uint8Array(32))),
    action,
    environment: 'staging',
    app_id: appId,
    responses: [
      {
        identifier: tree,
        merkle_root: input(0),
        nullifier: input(1),
        proof: toHex(proof),
        ...(isDefaultSignal ? {} : { signal_hash: input(2) }),
      },
    ],
  };
}

/** Parts of the external nullifier of a holder proof. */
export interface RefreshScope {
  /** `refresh.externalNullifier` of the target service. */
  readonly text: string;
  /** 32 bytes, if the service requires a challenge. */
  readonly challenge?: Uint8Array;
}

/** Statement of a proof that the prover is the holder of an idCommitment, for one `sub`. */
export interface HolderStatement extends MembershipStatement {
  /** 32 bytes, the identity commitment. */
  readonly idCommitment: Uint8Array;
  /** 32 bytes, the signal of the proof. */
  readonly sub: Uint8Array;
  /** Pre-image of the external nullifier, in the form of the header. */
  readonly preImage: string;
}

/**
 * Builds the statement of an authentication proof (spec/credential.md#authentication-proof): membership in a
 * tree whose only leaf is the holder's own commitment.
 *
 * @param sub - 32 bytes, big-endian, above 0 and below the scalar order r.
 */
export async function holderStatement(
  identity: Identity,
  sub: Uint8Array,
  { text, challenge }: RefreshScope,
  poseidon: Poseidon,
): Promise<HolderStatement> {
  const idCommitment = await commitmentOf(identity, poseidon);
  const bytes = Buffer.concat([Buffer.from(text), challenge ?? new Uint8Array(0)]);
  return {
    identity,
    idCommitment,
    sub,
    inclusion: await oneLeafProof(idCommitment, poseidon),
    signalHash: hashToField(sub),
    externalNullifier: hashToField(bytes),
    preImage: challenge === undefined ? text : toHex(bytes),
  };
}

/** Encodes the header `x-zkp-proof` (spec/refresh.md#proof-header): standard base64 of a JSON object. */
export function refreshHeader(
  { idCommitment, sub, preImage }: Pick<HolderStatement, 'idCommitment' | 'sub' | 'preImage'>,
  { proof, inputs }: MembershipProof,
): string {
  const members = {
    proof: toHex(proof),
    nullifierHash: toHex(inputs.subarray(32, 64)),
    externalNullifier: preImage,
    idCommitment: toHex(idCommitment),
    sub: toHex(sub),
  };
  return Buffer.from(JSON.stringify(members)).toString('base64');
}
