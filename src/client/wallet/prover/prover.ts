import type { WalletUrls } from '../../../pages.ts';
import { WalletError } from '../calls/call.ts';
import type {
  FinishedProof,
  ProofJob,
  ProofProgress,
  ProverAnswer,
  ProverCall,
  ProverIdentity,
} from './prover-protocol.ts';

/** The interface of the page to the worker. */
export interface Prover {
  /** Computes the commitment of an identity, `0x` and 64 hex digits. */
  commitment(identity: ProverIdentity): Promise<string>;
  /**
   * Makes a proof, in about two seconds.
   *
   * @throws WalletError `circuit` if a file could not be loaded, `proof` if no proof could be made.
   */
  prove(job: ProofJob, report: (progress: ProofProgress) => void): Promise<FinishedProof>;
}

interface Waiting {
  readonly report: (progress: ProofProgress) => void;
  readonly resolve: (answer: ProverAnswer) => void;
  readonly reject: (error: WalletError) => void;
}

/** A call without its id, which `ask` assigns. */
type Question = ProverCall extends infer C ? (C extends { id: number } ? Omit<C, 'id'> : never) : never;

/** Creates the prover. The worker starts with the first call, and again with the next one after an error. */
export function createProver(urls: WalletUrls): Prover {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let nextId = 1;

  const start = (): Worker => {
    const started = new Worker(urls.worker);
    started.addEventListener('message', ({ data }: MessageEvent<ProverAnswer>) => {
      const caller = waiting.get(data.id);
      if (data.kind === 'progress') {
        caller?.report(data.progress);
        return;
      }
      waiting.delete(data.id);
      if (data.kind === 'failed') caller?.reject(failure(data.fault, data.text));
      else caller?.resolve(data);
    });
    started.addEventListener('error', (event) => {
      started.terminate();
      worker = undefined;
      const callers = [...waiting.values()];
      waiting.clear();
      for (const { reject } of callers)
        reject(failure('circuit', event.message || 'the worker did not start'));
    });
    const call: ProverCall = { kind: 'start', urls };
    started.postMessage(call);
    return started;
  };

  const ask = async (question: Question, report: Waiting['report']): Promise<ProverAnswer> => {
    const id = nextId++;
    return await new Promise((resolve, reject) => {
      waiting.set(id, { report, resolve, reject });
      worker ??= start();
      worker.postMessage({ ...question, id });
    });
  };

  return {
    async commitment({ trapdoor, nullifier }) {
      const answer = await ask({ kind: 'commitment', identity: { trapdoor, nullifier } }, () => undefined);
      if (answer.kind !== 'commitment') throw failure('proof', 'the worker sent an unexpected answer');
      return answer.commitment;
    },
    async prove(job, report) {
      const answer = await ask({ kind: 'prove', job }, report);
      if (answer.kind !== 'proof') throw failure('proof', 'the worker sent an unexpected answer');
      return answer.proof;
    },
  };
}

function failure(fault: 'circuit' | 'proof', reason: string): WalletError {
  const beginning = fault === 'circuit' ? 'The prover could not be loaded' : 'No proof could be made';
  return new WalletError(fault, `${beginning}: ${reason}.`.replace(/\.\.$/, '.'));
}
