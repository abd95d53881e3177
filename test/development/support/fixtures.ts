/** The committed proofs under dev-depth30; test/vectors/verify/README.md says what each is for. */
import { readFileSync } from 'node:fs';
import { bytes, keyBytes, type SnarkjsKey, words } from '../../engine/support/vectors.ts';
import proofs from '../../vectors/verify/proofs.json' with { type: 'json' };
import refresh from '../../vectors/verify/refresh-header.json' with { type: 'json' };

/** One proof with the parts of its statement. */
export type Fixture = (typeof proofs)[number];

const read = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8'));

export const FIXTURES: readonly Fixture[] = proofs;
/** A refresh header and its statement. */
export const REFRESH: typeof refresh = refresh;

/** circuits/dev-depth30 in the form of snarkjs; below, in that of the engine. */
export const DEVELOPMENT_KEY_JSON: Record<string, unknown> = read(
  'circuits/dev-depth30/verification-key.json',
) as Record<string, unknown>;
export const DEVELOPMENT_KEY_BYTES: Uint8Array = keyBytes(DEVELOPMENT_KEY_JSON as unknown as SnarkjsKey);

/** Returns an entry; throws if the index is out of range. */
export function fixture(index: number): Fixture {
  const entry = FIXTURES[index];
  if (!entry) throw new Error(`no entry ${index}`);
  return entry;
}

/** Returns proof and public inputs in the form of the engine. */
export function bytesOf(entry: Fixture): { readonly proof: Uint8Array; readonly inputs: Uint8Array } {
  const { merkle_root, nullifier_hash, signal_hash, external_nullifier_hash } = entry;
  return {
    proof: bytes(entry.proof),
    inputs: words([merkle_root, nullifier_hash, signal_hash, external_nullifier_hash]),
  };
}

/** Makes the body that presents an entry to `POST /api/v4/verify`. */
export function requestOf(entry: Fixture): Record<string, unknown> {
  return {
    protocol_version: '3.0',
    nonce: '0x01',
    action: entry.action,
    environment: 'staging',
    responses: [
      {
        identifier: entry.tree,
        merkle_root: entry.merkle_root,
        nullifier: entry.nullifier_hash,
        proof: entry.proof,
        ...(entry.signal === undefined ? {} : { signal_hash: entry.signal_hash }),
      },
    ],
  };
}

/** Extracts the proof of a refresh header in the form of the engine. */
export function refreshProof(header: string): Uint8Array {
  const { proof } = JSON.parse(Buffer.from(header, 'base64').toString()) as { readonly proof: string };
  return bytes(proof);
}
