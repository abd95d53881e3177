import { callOut } from '../../outgoing.ts';
import type { MissedStatement } from '../roots/root-registry.ts';

/** Options of an oracle. */
export interface OracleOptions {
  /** Address of the sequencer, without trailing slash. */
  readonly url: string;
  readonly timeoutMs: number;
}

const MAX_ANSWER_BYTES = 65_536;
const WORD_BYTES = 32;
const PROOF_BYTES = 256;

/**
 * Asks a sequencer whether it knows the root of a 3.0 proof (spec/roots.md#sequencer-oracle). It learns the nullifier.
 *
 * @returns False also if it does not answer in time.
 */
export async function askSequencer(
  { url, timeoutMs }: OracleOptions,
  { bytes, maxAgeSeconds }: MissedStatement,
): Promise<boolean> {
  const [proof, inputs] = [bytes.subarray(0, PROOF_BYTES), bytes.subarray(PROOF_BYTES)];
  const word = (bytes: Uint8Array, index: number): string =>
    `0x${Buffer.from(bytes.subarray(index * WORD_BYTES, (index + 1) * WORD_BYTES)).toString('hex')}`;
  const point = (...indexes: readonly number[]): string[] => indexes.map((index) => word(proof, index));
  const body = JSON.stringify({
    root: word(inputs, 0),
    nullifierHash: word(inputs, 1),
    signalHash: word(inputs, 2),
    externalNullifierHash: word(inputs, 3),
    proof: [point(0, 1), [point(2, 3), point(4, 5)], point(6, 7)],
  });
  try {
    const { isOk, bytes } = await callOut({
      ...{ url: `${url}/verifySemaphoreProof?maxRootAgeSeconds=${maxAgeSeconds}`, reach: 'any' },
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body },
      ...{ timeoutMs, maxBytes: MAX_ANSWER_BYTES },
    });
    return bytes !== undefined && isOk;
  } catch {
    return false;
  }
}
