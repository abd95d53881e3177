import { Agent, request } from 'node:http';
import { externalNullifier, rpIdOf } from '../../src/semaphore/hashes.ts';
import { be32, fromBe } from './crypto/bn254.ts';
import { scalarStream, type Trapdoor, trapdoor } from './crypto/trapdoor.ts';

/** App that load tests register; proofs are made for the key trapdoor-4. */
export const LOAD_APP = 'app_0123456789abcdef0123456789abcdef';
/** Root that load tests register. */
export const LOAD_ROOT: Uint8Array = be32(0x1234567890abcdefn);
const ACTION = 'load';
const SIGNAL_HASH = '0x00c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a4';

const hex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;

/** A request body with a unique nullifier. */
export interface LoadBody {
  readonly nullifier: string;
  readonly body: string;
}

/** Makes request bodies with distinct nullifiers and proofs, on request false ones, or over another root. */
export type BodyMaker = (isFalse?: boolean, root?: Uint8Array) => LoadBody;

/** Returns a maker of request bodies. */
export async function bodyMaker(seed: string): Promise<BodyMaker> {
  const key: Trapdoor = await trapdoor();
  const next = scalarStream(seed);
  const fixed = [BigInt(SIGNAL_HASH), fromBe(externalNullifier(LOAD_APP, ACTION))] as const;
  return (isFalse = false, root = LOAD_ROOT) => {
    const nullifier = next();
    const proof = key.prove([fromBe(root), nullifier, ...fixed], next(), next(), isFalse);
    return {
      nullifier: hex(be32(nullifier)),
      body: JSON.stringify({
        protocol_version: '3.0',
        nonce: '0x01',
        action: ACTION,
        responses: [
          {
            identifier: 'orb',
            merkle_root: hex(root),
            nullifier: hex(be32(nullifier)),
            proof: hex(proof),
          },
        ],
      }),
    };
  };
}

/** Returns the body by which the proof of another one is checked alone, `POST /api/v1/groth16/trapdoor-4`. */
export function groth16Body({ body }: LoadBody): string {
  const { responses } = JSON.parse(body) as { responses: readonly Record<string, string>[] };
  const { merkle_root: root, nullifier, proof } = responses[0] ?? {};
  const outside = hex(externalNullifier(LOAD_APP, ACTION));
  return JSON.stringify({ proof, publicSignals: [root, nullifier, SIGNAL_HASH, outside] });
}

/** An answer of the verification interface. */
export interface Answer {
  readonly status: number;
  readonly body: {
    readonly success?: boolean;
    readonly code?: string;
    readonly message?: string;
    readonly nullifier?: string;
    readonly created_at?: string;
    readonly results?: readonly { readonly code?: string; readonly success: boolean }[];
  };
}

const agent = new Agent({ keepAlive: true, maxSockets: 128 });

/** Sends one body; rejects when the connection ends without an answer. */
export function send(publicUrl: string, body: string, id: string = rpIdOf(LOAD_APP)): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request(
      `${publicUrl}/api/v4/verify/${id}`,
      {
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as Answer['body'] });
        });
      },
    );
    call.on('error', reject);
    call.end(body);
  });
}
