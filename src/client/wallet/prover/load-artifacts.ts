import type { WalletUrls } from '../../../pages.ts';
import { WalletError } from '../calls/call.ts';
import type { ProofProgress } from './prover-protocol.ts';

/** Fraction of the total time for loading the files; the rest is the proof. */
const LOADING_SHARE = 0.2;

/**
 * Stages of a proof: the first words of the snarkjs message that begins it, the fraction of the proving time
 * that has passed by then (measured on the development circuit), and the text for the person.
 */
const STAGES: readonly (readonly [string, number, string])[] = [
  ['Reading Wtns', 0.19, 'Proving: the witness is ready'],
  ['Reading A Points', 0.26, 'Proving: step 1 of 5'],
  ['Reading B1 Points', 0.37, 'Proving: step 2 of 5'],
  ['Reading B2 Points', 0.46, 'Proving: step 3 of 5'],
  ['Reading C Points', 0.76, 'Proving: step 4 of 5'],
  ['Reading H Points', 0.88, 'Proving: step 5 of 5'],
];

/** Returns the progress while circuit and key are loaded. */
export function loadingProgress(loadedBytes: number, totalBytes: number): ProofProgress {
  const share = totalBytes > 0 ? Math.min(1, loadedBytes / totalBytes) : 0;
  return { share: LOADING_SHARE * share, text: 'Loading the circuit' };
}

/** Progress before snarkjs reports anything: the witness is computed first. */
export const WITNESS_PROGRESS: ProofProgress = { share: LOADING_SHARE, text: 'Computing the witness' };

/** Returns the progress at a message of snarkjs; undefined if it begins no stage. */
export function provingProgress(message: string): ProofProgress | undefined {
  const stage = STAGES.find(([beginning]) => message.startsWith(beginning));
  if (!stage) return undefined;
  const [, share, text] = stage;
  return { share: LOADING_SHARE + (1 - LOADING_SHARE) * share, text };
}

/** Files of the development circuit. */
export interface CircuitBytes {
  readonly witnessCode: Uint8Array<ArrayBuffer>;
  readonly provingKey: Uint8Array<ArrayBuffer>;
}

/** Loads the files that the prover needs; the circuit is loaded once for all proofs. */
export interface ArtifactLoader {
  /** @throws WalletError `circuit` */
  cryptoWasm(): Promise<Uint8Array<ArrayBuffer>>;
  /** @throws WalletError `circuit` */
  circuit(report: (progress: ProofProgress) => void): Promise<CircuitBytes>;
}

/** Creates a loader that keeps the circuit in memory. */
export function createArtifactLoader(urls: WalletUrls): ArtifactLoader {
  let circuit: CircuitBytes | undefined;
  return {
    cryptoWasm: () => load(urls.cryptoWasm, () => undefined),
    async circuit(report) {
      if (circuit) return circuit;
      // The key is about twice as long as the code; precise enough for a progress bar.
      const witnessCode = await load(urls.witnessCode, (share) => report(loadingProgress(share, 3)));
      const provingKey = await load(urls.provingKey, (share) => report(loadingProgress(1 + 2 * share, 3)));
      circuit = { witnessCode, provingKey };
      return circuit;
    },
  };
}

async function load(address: string, report: (share: number) => void): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const response = await fetch(address, { credentials: 'omit', referrerPolicy: 'no-referrer' });
    if (!response.ok) throw new WalletError('circuit', `${address}: ${await detailOf(response)}`);
    return await readBody(response, report);
  } catch (cause) {
    if (cause instanceof WalletError) throw cause;
    throw new WalletError('circuit', `${address} could not be loaded`, { cause });
  }
}

async function readBody(
  response: Response,
  report: (share: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const total = Number(response.headers.get('Content-Length') ?? 0);
  const chunks: Uint8Array[] = [];
  let loaded = 0;
  for (const reader = response.body?.getReader(); reader; ) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    loaded += value.length;
    if (total > 0) report(Math.min(1, loaded / total));
  }
  const bytes = new Uint8Array(loaded);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

/** Returns the detail of the error body, else the status. */
async function detailOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { detail } = JSON.parse(text) as { readonly detail?: unknown };
    if (typeof detail === 'string') return detail;
  } catch {
    // Not an error body of this service: fall back to the status.
  }
  return `status ${response.status}`;
}
