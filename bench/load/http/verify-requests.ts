import { proofStream, type StreamInputs } from '../../support/proof-stream.ts';

/** Common parts of the requests of a run. */
export interface RequestTemplate {
  readonly host: string;
  readonly path: string;
  readonly action: string;
  readonly inputs: StreamInputs;
}

/** Path of the interface for proofs of any circuit, before the id of the key. */
export const GROTH16_PATH = '/api/v1/groth16';

/** Common parts of the requests of a run for proofs of any circuit. */
export interface Groth16Template extends Omit<RequestTemplate, 'action'> {
  readonly kind: 'groth16';
}

/** Encodes bytes as requests carry them. */
export const hex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;

/** Flips the last bit: the proof is invalid for this nullifier. */
export function withLastBitFlipped(nullifier: Uint8Array): Uint8Array {
  return nullifier.map((byte, index) => (index === nullifier.length - 1 ? byte ^ 1 : byte));
}

/**
 * Builds `count` complete requests with `proofs` proofs each; all proofs have distinct points and nullifiers.
 *
 * @param first - Running number of the first proof; runs on one database must use disjoint ranges.
 * @param isFalse - Whether to make well-formed proofs that are invalid.
 */
export async function verifyRequests(
  template: RequestTemplate,
  count: number,
  proofs: number,
  first: number,
  isFalse = false,
): Promise<Uint8Array[]> {
  const next = await proofStream(template.inputs, first);
  const item = (): string => {
    const { proof, nullifier } = next();
    return JSON.stringify({
      identifier: 'orb',
      merkle_root: hex(template.inputs.root),
      nullifier: hex(isFalse ? withLastBitFlipped(nullifier) : nullifier),
      proof: hex(proof),
      signal_hash: hex(template.inputs.signalHash),
    });
  };
  return Array.from({ length: count }, () => {
    const items = Array.from({ length: proofs }, item).join(',');
    const body = `{"protocol_version":"3.0","nonce":"0x01","action":${JSON.stringify(template.action)},"responses":[${items}]}`;
    return completeRequest(template, body);
  });
}

/** Writes head and body of a verification request. */
export function completeRequest(
  { host, path }: Pick<RequestTemplate, 'host' | 'path'>,
  body: string,
): Uint8Array {
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ].join('\r\n');
  return Buffer.from(`${head}\r\n\r\n${body}`);
}

/** Builds `count` complete requests with `proofs` proofs of any circuit each; parameters as for `verifyRequests`. */
export async function groth16Requests(
  template: Groth16Template,
  count: number,
  proofs: number,
  first: number,
): Promise<Uint8Array[]> {
  const { root, signalHash, externalNullifier } = template.inputs;
  const next = await proofStream(template.inputs, first);
  const member = (): object => {
    const { proof, nullifier } = next();
    return { proof: hex(proof), publicSignals: [root, nullifier, signalHash, externalNullifier].map(hex) };
  };
  return Array.from({ length: count }, () => {
    const body = proofs === 1 ? member() : { proofs: Array.from({ length: proofs }, member) };
    return completeRequest(template, JSON.stringify(body));
  });
}
