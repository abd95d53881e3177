import { randomBytes } from 'node:crypto';
import type { BackendChoice } from '../../../src/engine/backends/backend.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { TREE_DEPTH } from '../../../src/semaphore/merkle-tree.ts';
import { trapdoor } from '../../../test/support/crypto/trapdoor.ts';
import { answerCalls } from '../../support/child.ts';
import { built } from '../../support/paths.ts';
import { proofStream, type StreamInputs } from '../../support/proof-stream.ts';
import { closedLoop, type LoopFigures } from '../../support/window-counter.ts';
import type { LoadPlan } from '../plan.ts';
import { benchHolder, benchPackage } from '../refresh/refresh-holders.ts';
import type { RefreshKind } from '../refresh/refresh-requests.ts';

type EngineModule = typeof import('../../../src/engine/create-engine.ts');
type CredentialModule = typeof import('../../../src/credential/credential.ts');
type CredentialHashModule = typeof import('../../../src/credential/hash.ts');

const KEY = 'trapdoor-4';
// Distinct proofs that the loop repeats; the engine caches no verdicts, so repetition changes nothing.
const PROOFS = 1024;

const SIGNING_KEY = 'bench';

let engine: Engine | undefined;
let signingKey: Uint8Array | undefined;
const proofs: Uint8Array[] = [];
const inputs: Uint8Array[] = [];

/** Figures of a run of single proofs. */
export interface EngineFigures extends LoopFigures {
  /** Processor time of the whole process per proof, in µs, including the warm-up. */
  readonly cpuUsPerProof: number;
}

/** Calls of the process that runs the engine without a server. */
export type EngineProcess = {
  start(argument: {
    workers: number;
    backend: BackendChoice;
    stream: StreamInputs;
  }): Promise<{ backend: string; arithmetic: string }>;
  run(argument: { outstanding: number; plan: LoadPlan }): Promise<EngineFigures>;
  /** Runs the engine work of refreshes, in the order of the service, and nothing else. */
  runRefresh(argument: { outstanding: number; plan: LoadPlan; kind: RefreshKind }): Promise<LoopFigures>;
};

async function verifyOne(running: Engine, index: number): Promise<boolean> {
  const at = index % PROOFS;
  const verdict = await running.verify(KEY, proofs[at] as Uint8Array, inputs[at] as Uint8Array);
  if (!verdict.ok) throw new Error(`expected a valid proof, got ${verdict.code ?? 'false'}`);
  return true;
}

const handlers: EngineProcess = {
  async start({ workers, backend, stream }) {
    const { createEngine } = await built<EngineModule>('engine.js');
    engine = await createEngine({ workers, backend, maxQueue: 4096, maxBatch: 256, maxBatchDelayMs: 0 });
    await engine.registerKey(KEY, (await trapdoor(4)).key);
    const statement = (nullifier: Uint8Array): Uint8Array =>
      Buffer.concat([stream.root, nullifier, stream.signalHash, stream.externalNullifier]);
    const next = await proofStream(stream, 0);
    for (let i = 0; i < PROOFS; i++) {
      const made = next();
      proofs.push(made.proof);
      inputs.push(statement(made.nullifier));
    }
    const wrong = await engine.verify(KEY, proofs[0] as Uint8Array, inputs[1] as Uint8Array);
    if (wrong.ok || wrong.code !== undefined)
      throw new Error(`expected false for a false proof, got ${wrong.code ?? 'true'}`);
    const { backend: chosen, arithmetic } = engine.stats();
    return { backend: chosen, arithmetic };
  },
  async run({ outstanding, plan }) {
    const running = engine;
    if (!running) throw new Error('call start first');
    const before = process.cpuUsage();
    let count = 0;
    const figures = await closedLoop(outstanding, plan, async (index) => {
      const isTrue = await verifyOne(running, index);
      count += 1;
      return isTrue;
    });
    const { user, system } = process.cpuUsage(before);
    return { ...figures, cpuUsPerProof: (user + system) / count };
  },
  async runRefresh({ outstanding, plan, kind }) {
    const running = engine;
    if (!running) throw new Error('call start first');
    const { claimOfPackage, claimOfRefresh } = await built<CredentialModule>('credential.js');
    const { hashCredential } = await built<CredentialHashModule>('credential-hash.js');
    signingKey ??= await running.registerSigningKey(SIGNING_KEY, randomBytes(32));
    const publicKey = signingKey.subarray(64);
    const { manifest } = benchPackage(benchHolder(0));
    const [seconds, zero] = [Math.floor(Date.now() / 1000), new Uint8Array(32)];
    return closedLoop(outstanding, plan, async (index) => {
      const holder = benchHolder(index);
      await running.oneLeafRoot(holder.idComm, TREE_DEPTH);
      await verifyOne(running, index);
      const claim = await (kind === 'with'
        ? claimOfPackage(running, manifest)
        : claimOfRefresh(running, holder, seconds));
      const hash = await hashCredential(running, {
        id: BigInt(index),
        issuerSchemaId: 1n,
        sub: holder.sub,
        claims: [claim],
        genesisIssuedAt: seconds,
        expiresAt: seconds,
        associatedDataHash: zero,
      });
      const signature = await running.signCredentialHash(SIGNING_KEY, hash);
      if (!(await running.verifySignature(publicKey, hash, signature)))
        throw new Error('a signature is invalid');
      return true;
    });
  },
};

answerCalls(handlers);
