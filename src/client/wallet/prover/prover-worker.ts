/**
 * Worker with the cryptography of the wallet page: Poseidon from Proofgate's WASM build, and proofs by the
 * browser build of snarkjs. Bundled as a classic script, because the browser build of snarkjs is one.
 */
import { instantiate, type ProofgateWasm } from '../../../../wasm/artifact/proofgate_wasm.js';
import type { WalletUrls } from '../../../pages.ts';
import { toHex } from '../../../semaphore/hex.ts';
import { commitmentOf, type Identity, nullifierHashOf } from '../../../semaphore/identity.ts';
import { pathBit, pathNodes, TREE_DEPTH } from '../../../semaphore/merkle-tree.ts';
import {
  circuitInput,
  type MembershipStatement,
  proofBytes,
  type SnarkjsProof,
} from '../../../semaphore/snarkjs-forms.ts';
import { decodeWord, numberOf } from '../../../semaphore/words.ts';
import { messageOf } from '../../../text.ts';
import { WalletError } from '../calls/call.ts';
import { createArtifactLoader, provingProgress, WITNESS_PROGRESS } from './load-artifacts.ts';
import type {
  FinishedProof,
  ProofJob,
  ProofProgress,
  ProverAnswer,
  ProverCall,
  ProverIdentity,
} from './prover-protocol.ts';

/** The part of snarkjs that this script uses. */
interface Snarkjs {
  readonly groth16: {
    fullProve(
      input: ReturnType<typeof circuitInput>,
      witnessCode: Uint8Array,
      provingKey: Uint8Array,
      logger: Readonly<Record<'debug' | 'info' | 'warn' | 'error', (message: string) => void>>,
      witnessOptions: Readonly<Record<string, never>>,
      proverOptions: { readonly singleThread: boolean },
    ): Promise<{ readonly proof: SnarkjsProof; readonly publicSignals: readonly string[] }>;
  };
}

// Declared here, because the types of a worker's global scope conflict with those of a page.
interface WorkerScope {
  snarkjs?: Snarkjs;
  importScripts(address: string): void;
  postMessage(answer: ProverAnswer): void;
  addEventListener(event: 'message', listener: (event: { readonly data: ProverCall }) => void): void;
}
const scope = globalThis as unknown as WorkerScope;

let urls: WalletUrls;
let artifacts: ReturnType<typeof createArtifactLoader>;
let ready: Promise<void> | undefined;
/** Poseidon of the WASM instance, once `ready` has resolved. */
let poseidon: ProofgateWasm['poseidon'];
/** Tail of the queue: calls run one after the other, since a proof occupies the thread anyway. */
let last: Promise<void> = Promise.resolve();

scope.addEventListener('message', ({ data }) => {
  if (data.kind === 'start') {
    urls = data.urls;
    artifacts = createArtifactLoader(urls);
    return;
  }
  last = last.then(async () => {
    try {
      scope.postMessage(await answer(data));
    } catch (error) {
      const fault = error instanceof WalletError && error.fault === 'circuit' ? 'circuit' : 'proof';
      const text = messageOf(error);
      scope.postMessage({ kind: 'failed', id: data.id, fault, text });
    }
  });
});

async function answer(data: Exclude<ProverCall, { kind: 'start' }>): Promise<ProverAnswer> {
  ready ??= loadCrypto().catch((error: unknown) => {
    ready = undefined;
    throw error;
  });
  await ready;
  const { id } = data;
  if (data.kind === 'commitment') {
    const commitment = toHex(await commitmentOf(identityOf(data.identity), poseidon));
    return { kind: 'commitment', id, commitment };
  }
  const proof = await prove(data.job, (progress) => scope.postMessage({ kind: 'progress', id, progress }));
  return { kind: 'proof', id, proof };
}

async function loadCrypto(): Promise<void> {
  const module = new WebAssembly.Module(await artifacts.cryptoWasm());
  ({ poseidon } = instantiate(module));
}

async function prove(job: ProofJob, report: (progress: ProofProgress) => void): Promise<FinishedProof> {
  const statement = statementOf(job);
  const signals = await publicSignalsOf(statement);
  const { witnessCode, provingKey } = await artifacts.circuit(report);
  report(WITNESS_PROGRESS);
  if (!scope.snarkjs) scope.importScripts(urls.snarkjs);
  if (!scope.snarkjs) throw new WalletError('circuit', 'snarkjs could not be loaded.');
  const observe = (message: string): void => {
    const progress = provingProgress(message);
    if (progress) report(progress);
  };
  const { proof, publicSignals } = await scope.snarkjs.groth16.fullProve(
    circuitInput(statement),
    witnessCode,
    provingKey,
    { debug: observe, info: observe, warn: observe, error: observe },
    {},
    // snarkjs starts threads from blob: URLs, which the page's policy forbids.
    { singleThread: true },
  );
  if (signals.some((signal, index) => String(numberOf(signal)) !== publicSignals[index])) {
    throw new WalletError(
      'proof',
      'the public values of the proof differ from those requested: rebuild the circuit',
    );
  }
  const [root = new Uint8Array(), nullifierHash = new Uint8Array()] = signals;
  return { proof: toHex(proofBytes(proof)), merkleRoot: toHex(root), nullifierHash: toHex(nullifierHash) };
}

/**
 * Computes the expected public signals without the circuit: root, nullifier hash, signal hash, external
 * nullifier.
 */
async function publicSignalsOf(statement: MembershipStatement): Promise<Uint8Array[]> {
  const { identity, inclusion, signalHash, externalNullifier } = statement;
  const leaf = await commitmentOf(identity, poseidon);
  const root = (await pathNodes(leaf, inclusion.index, inclusion.siblings, poseidon)).at(-1);
  if (inclusion.siblings.length !== TREE_DEPTH || !root || toHex(root) !== toHex(inclusion.root)) {
    throw new WalletError('proof', 'the inclusion proof does not lead from this identity to its root');
  }
  return [root, await nullifierHashOf(identity, externalNullifier, poseidon), signalHash, externalNullifier];
}

function statementOf({ identity, inclusion, signalHash, externalNullifier }: ProofJob): MembershipStatement {
  const { root, index, siblings } = inclusion;
  return {
    identity: identityOf(identity),
    inclusion: {
      root: word(root),
      index,
      siblings: siblings.map(word),
      pathIndices: siblings.map((_, level) => pathBit(index, level)),
    },
    signalHash: word(signalHash),
    externalNullifier: word(externalNullifier),
  };
}

function identityOf({ trapdoor, nullifier }: ProverIdentity): Identity {
  return { trapdoor: word(trapdoor), nullifier: word(nullifier) };
}

function word(text: string): Uint8Array {
  const bytes = decodeWord(text);
  if (!bytes) throw new WalletError('proof', 'a value is not a 32-byte word in hex');
  return bytes;
}
