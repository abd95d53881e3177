import { secp256k1 } from '@noble/curves/secp256k1.js';
import { orbKeyPair, signManifest } from '../custody-package.ts';
import { flipBit } from './form-parts.ts';
import { invalidates, type Mutation, same } from './mutation.ts';
import { type Draw, partValue, pick, withValue } from './request-parts.ts';

const SIGNATURE = 'hashes.sign';
const ORB_KEY = orbKeyPair('test orb key');
const OTHER_KEY = orbKeyPair('an orb that nobody registered');
const N = secp256k1.Point.Fn.ORDER;

/** DER value with this tag and content, written unchanged. */
const derOf = (tag: number, ...contents: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.of(tag, content.length), content]);
};
const integer = (value: bigint): Buffer => {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return (bytes[0] ?? 0) > 127 ? Buffer.concat([Buffer.of(0), bytes]) : bytes;
};
const sequence = (r: Uint8Array, s: Uint8Array): Buffer => derOf(0x30, derOf(2, r), derOf(2, s));

/** Malformed or wrong encodings of the signature. */
function wronglyEncoded(der: Buffer, draw: Draw): Uint8Array {
  const { r, s } = secp256k1.Signature.fromBytes(der, 'der');
  const [rBytes, sBytes] = [integer(r), integer(s)];
  const body = der.subarray(2);
  const [padR, padS] = [Buffer.concat([Buffer.of(0), rBytes]), Buffer.concat([Buffer.of(0), sBytes])];
  const encodings: readonly Uint8Array[] = [
    Buffer.concat([der, Buffer.of(draw(256))]),
    der.subarray(0, -1),
    der.subarray(1),
    der.subarray(0, 1 + draw(der.length - 1)),
    Buffer.concat([Buffer.of(0x30, 0x81, body.length), body]),
    Buffer.concat([Buffer.of(0x30, 0x82, 0, body.length), body]),
    Buffer.concat([Buffer.of(0x30, 0x80), body, Buffer.of(0, 0)]),
    Buffer.concat([Buffer.of(0x31, body.length), body]),
    Buffer.concat([Buffer.of(0x30, body.length + 1), body]),
    Buffer.concat([Buffer.of(0x30, body.length - 1), body]),
    derOf(0x30, der),
    derOf(0x30, body, derOf(2, Buffer.of(1))),
    derOf(0x30, derOf(2, rBytes)),
    derOf(0x30, derOf(3, rBytes), derOf(2, sBytes)),
    sequence(padR, sBytes),
    sequence(rBytes, padS),
    sequence(sBytes, rBytes),
    sequence(rBytes, rBytes),
    sequence(Buffer.of(0), sBytes),
    sequence(rBytes, Buffer.of(0)),
    sequence(Buffer.of(), Buffer.of()),
    sequence(rBytes, integer(N)),
    sequence(integer(N), sBytes),
    sequence(rBytes, integer(s + N)),
    sequence(integer(r + N), sBytes),
    sequence(rBytes, Buffer.concat([Buffer.of(0xff), sBytes])),
    sequence(rBytes, integer(N - 1n)),
    sequence(Buffer.of(1), Buffer.of(1)),
    Buffer.from(secp256k1.Signature.fromBytes(der, 'der').toBytes('compact')),
    Buffer.from(der.toString('hex').slice(0, 80)),
    Buffer.from(der.toString('base64').slice(0, 80)),
    Buffer.alloc(64),
    Buffer.alloc(80, 0xff),
    Buffer.of(0x30, 0),
  ];
  return pick(encodings, draw).subarray(0, 80);
}

/** Mutations of the signature of the orb. */
export const SIGNATURE_MUTATIONS: readonly Mutation[] = [
  same('the other s', (request) => {
    const { r, s } = secp256k1.Signature.fromBytes(partValue(request, SIGNATURE), 'der');
    return withValue(request, SIGNATURE, new secp256k1.Signature(r, N - s).toBytes('der'));
  }),
  invalidates('a flipped bit of the signature', (request, draw) =>
    withValue(request, SIGNATURE, flipBit(partValue(request, SIGNATURE), draw)),
  ),
  invalidates('a malformed or wrong encoding of the signature', (request, draw) =>
    withValue(request, SIGNATURE, wronglyEncoded(partValue(request, SIGNATURE), draw)),
  ),
  invalidates('the signature of another key', (request) =>
    withValue(request, SIGNATURE, signManifest(partValue(request, 'hashes.json'), OTHER_KEY)),
  ),
  invalidates('the signature of another text', (request, draw) =>
    withValue(request, SIGNATURE, signManifest(Buffer.from(`{"n":"${draw(1_000_000)}"}`), ORB_KEY)),
  ),
];
