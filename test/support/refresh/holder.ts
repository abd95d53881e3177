/** Holders of older identities whose proofs are valid for trapdoor-4; a proof takes milliseconds. */

import { createHash } from 'node:crypto';
import { createEngine } from '../../../src/engine/create-engine.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { hashToField, pair } from '../../../src/semaphore/hashes.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import { emptyNodes } from '../../../src/semaphore/merkle-tree.ts';
import { be32, fromBe, R } from '../crypto/bn254.ts';
import { scalarStream, type Trapdoor, trapdoor } from '../crypto/trapdoor.ts';

/** External nullifier of the default configuration. */
export const EXTERNAL_NULLIFIER = 'proofgate-refresh';

/** An identity with the blinded subject that it requests a credential for; both 32 bytes, big-endian. */
export interface TestHolder {
  readonly idComm: Uint8Array;
  readonly sub: Uint8Array;
}

/** Derives a holder from a name; `subName` gives the same identity another sub. */
export function testHolder(name: string, subName: string = name): TestHolder {
  return { idComm: scalarOf(`id-comm:${name}`), sub: scalarOf(`sub:${subName}`) };
}

/** Derives a scalar between 1 and r − 1 from a text, as 32 bytes, big-endian. */
export function scalarOf(text: string): Uint8Array {
  return be32((fromBe(createHash('sha512').update(text).digest()) % (R - 1n)) + 1n);
}

/** Options of a header. */
export interface HeaderOptions {
  /** Text of the member `externalNullifier`, which is also proved; by default that of the configuration. */
  readonly externalNullifier?: string;
  /** Bytes that are proved instead; the text is then `0x` and their hex digits. */
  readonly preImage?: Uint8Array;
  /** Makes a well-formed proof that does not verify. */
  readonly isFalse?: boolean;
  /** Members that replace the generated ones. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** Makes values of the header `x-zkp-proof`. */
export interface HeaderMaker {
  /** Makes the standard base64 of the JSON object, with a proof that is valid for trapdoor-4. */
  header(holder: TestHolder, options?: HeaderOptions): Promise<string>;
  close(): Promise<void>;
}

const TREE_DEPTH = 30;

/** Creates a header maker with its own engine in this thread, for the 30 hashes of each root. */
export async function createHeaderMaker(): Promise<HeaderMaker> {
  const settings = { backend: 'auto', maxQueue: 10_000, maxBatch: 64, maxBatchDelayMs: 0 } as const;
  const engine = await createEngine({ workers: 0, ...settings });
  const key = await trapdoor();
  const empty = await emptyNodes((inputs) => engine.poseidon(inputs), TREE_DEPTH);
  return {
    async header(holder, options = {}) {
      const text = options.externalNullifier ?? EXTERNAL_NULLIFIER;
      const nullifierHash = scalarOf(`nullifier:${toHex(holder.idComm)}`);
      const statement = [
        await oneLeafRoot(engine, holder.idComm, empty),
        nullifierHash,
        hashToField(holder.sub),
        hashToField(options.preImage ?? Buffer.from(text)),
      ];
      const proof = proveStatement(key, statement, toHex(holder.sub), options.isFalse);
      return base64Json({
        proof: toHex(proof),
        nullifierHash: toHex(nullifierHash),
        externalNullifier: options.preImage === undefined ? text : toHex(options.preImage),
        idCommitment: toHex(holder.idComm),
        sub: toHex(holder.sub),
        ...options.members,
      });
    },
    close: () => engine.close(),
  };
}

/** Standard base64 of a value as JSON. */
export function base64Json(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}

function proveStatement(
  key: Trapdoor,
  inputs: readonly Uint8Array[],
  seed: string,
  isFalse?: boolean,
): Uint8Array {
  const next = scalarStream(seed);
  return key.prove(inputs.map(fromBe), next(), next(), isFalse);
}

async function oneLeafRoot(
  engine: Engine,
  leaf: Uint8Array,
  empty: readonly Uint8Array[],
): Promise<Uint8Array> {
  let node = leaf;
  for (const sibling of empty.slice(0, TREE_DEPTH)) node = await engine.poseidon(pair(node, sibling));
  return node;
}
