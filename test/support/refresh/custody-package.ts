import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';

/** The seven salted values that a request carries, in the order of spec/refresh.md#form-parts. */
export const VALUE_NAMES = [
  'signup_id',
  'orb_id',
  'operator_id',
  'signup_reason',
  'timestamp',
  'software_version',
  'orb_country',
] as const;
/** Name of a salted value. */
export type ValueName = (typeof VALUE_NAMES)[number];

const FILES = [
  'backend_keys.json',
  'face_embeddings.json',
  'iris_codes.json',
  'left_ir.png',
  'right_ir.png',
  'thumbnail.png',
  ...['left', 'right'].flatMap((side) =>
    ['image', 'mask'].flatMap((kind) =>
      ['', '_commitment', '_blinding_factors'].flatMap((part) =>
        ['', '_resized'].map((size) => `${side}_normalized_${kind}${part}${size}.bin`),
      ),
    ),
  ),
];

/** A secp256k1 key pair of an orb, derived from a text. */
export interface OrbKeyPair {
  readonly secretKey: Uint8Array;
  /** Public key as a `BEGIN PUBLIC KEY` block. */
  readonly pem: string;
  /** SHA-256 of the DER public key. */
  readonly keyHash: Uint8Array;
}

/** A member of a manifest; name and value are JSON texts, written unchanged. */
export type ManifestMember = readonly [name: string, value: string];

/** Differences from a plain version 2.3 package. */
export interface PackageOptions {
  /** Source of salts, shares and hashes of absent files; the same seed gives the same package. */
  readonly seed?: string;
  readonly values?: Partial<Readonly<Record<ValueName, string | Uint8Array>>>;
  readonly salts?: Partial<Readonly<Record<ValueName, string | Uint8Array>>>;
  /** Length of each share text in bytes; 176 by default. */
  readonly shareBytes?: number;
  readonly orbKey?: OrbKeyPair;
  /** Selects one of the two valid signatures, `low` by default; orbs produce either. */
  readonly s?: 'low' | 'high';
  /** Changes the members, sorted by name, before they are written and signed. */
  readonly editMembers?: (members: readonly ManifestMember[]) => readonly ManifestMember[];
  /** Changes the written manifest before it is signed. */
  readonly editManifest?: (text: string) => string | Uint8Array;
}

/** A complete package as a request carries it. */
export interface CustodyPackage {
  /** All 19 parts by name, `hashes.json` and `hashes.sign` last. */
  readonly fields: Readonly<Record<string, string | Uint8Array>>;
  readonly manifest: Uint8Array;
  /** Signature in DER. */
  readonly signature: Uint8Array;
  readonly orbId: string;
  readonly signupId: string;
  readonly operatorId: string;
  /** Key pair whose public key must be registered for `orbId`. */
  readonly orbKey: OrbKeyPair;
}

/** Derives the key pair whose private scalar is the SHA-256 of a text, as in the vectors. */
export function orbKeyPair(seedText: string): OrbKeyPair {
  const secretKey = sha256(seedText);
  const point = secp256k1.getPublicKey(secretKey, false);
  const key: KeyObject = createPublicKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'secp256k1',
      x: base64url(point.subarray(1, 33)),
      y: base64url(point.subarray(33)),
    },
  });
  const pem = key.export({ type: 'spki', format: 'pem' }).toString();
  return { secretKey, pem, keyHash: sha256(key.export({ type: 'spki', format: 'der' })) };
}

const DEFAULT_KEY = orbKeyPair('test orb key');

/**
 * Makes a package with 42 members and correct digests, signed by the orb. The same options give the same
 * bytes.
 */
export function makePackage(options: PackageOptions = {}): CustodyPackage {
  const seed = options.seed ?? 'package';
  const orbKey = options.orbKey ?? DEFAULT_KEY;
  const values = { ...defaultValues(seed), ...options.values };
  const fields: Record<string, string | Uint8Array> = {};
  const digests = new Map<string, string>();
  for (const name of VALUE_NAMES) {
    const salt = options.salts?.[name] ?? saltOf(seed, name);
    fields[name] = values[name];
    fields[`${name}_salt`] = salt;
    digests.set(name, hex(sha256(values[name], salt)));
  }
  for (const index of [0, 1, 2]) {
    const share = shareText(seed, index, options.shareBytes);
    fields[`iris_code_shares_${index}`] = share;
    digests.set(`iris_code_shares_${index}.json`, hex(sha256(share)));
  }
  digests.set('qr_code', hex(sha256('qr', saltOf(seed, 'qr_code'))));
  for (const file of FILES) digests.set(file, hex(sha256(`${seed} ${file}`)));
  const manifest = writeManifest(digests, options);
  const signature = signManifest(manifest, orbKey, options.s);
  fields['hashes.json'] = manifest;
  fields['hashes.sign'] = signature;
  return {
    fields,
    manifest,
    signature,
    orbKey,
    orbId: textOf(values.orb_id),
    signupId: textOf(values.signup_id),
    operatorId: textOf(values.operator_id),
  };
}

/** Signs a manifest deterministically as an orb does, with a low or high s. */
export function signManifest(manifest: Uint8Array, key: OrbKeyPair, s: 'low' | 'high' = 'low'): Uint8Array {
  const bytes = secp256k1.sign(manifest, key.secretKey, { prehash: true, lowS: true });
  const low = secp256k1.Signature.fromBytes(bytes, 'compact');
  const order = secp256k1.Point.Fn.ORDER;
  return s === 'low' ? low.toBytes('der') : new secp256k1.Signature(low.r, order - low.s).toBytes('der');
}

function defaultValues(seed: string): Record<ValueName, string | Uint8Array> {
  return {
    signup_id: `signup_${seed}`,
    orb_id: '0c1d2e3f',
    operator_id: 'operator-7f',
    signup_reason: 'NORMAL',
    timestamp: '1700000000',
    software_version: '1.2.3',
    orb_country: 'US',
  };
}

function saltOf(seed: string, name: string): string {
  return hex(sha256(`${seed} salt of ${name}`).subarray(0, 16));
}

function shareText(seed: string, index: number, length = 176): string {
  const open = `{"IRIS_shares_version":"1.3","IRIS_version":"1.0","left_iris_code_shares":"`;
  const rest = `","left_mask_code_shares":"bG0w","right_iris_code_shares":"cmkw","right_mask_code_shares":"cm0w"}`;
  const size = length - open.length - rest.length;
  const block = sha256(`${seed} share ${index}`).toString('base64').slice(0, 43);
  return open + block.repeat(Math.ceil(Math.max(size, 4) / 43)).slice(0, Math.max(size, 4)) + rest;
}

function writeManifest(digests: ReadonlyMap<string, string>, options: PackageOptions): Uint8Array {
  const sorted = [...digests, ['version', '2.3'] as const].sort(([a], [b]) => (a < b ? -1 : 1));
  const members = sorted.map(
    ([name, value]): ManifestMember => [JSON.stringify(name), JSON.stringify(value)],
  );
  const edited = options.editMembers?.(members) ?? members;
  const text = `{${edited.map((member) => member.join(':')).join(',')}}`;
  const written = options.editManifest?.(text) ?? text;
  return typeof written === 'string' ? new TextEncoder().encode(written) : written;
}

function sha256(...parts: (string | Uint8Array)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function hex(bytes: Buffer): string {
  return bytes.toString('hex');
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

function textOf(value: string | Uint8Array): string {
  return Buffer.from(value).toString('utf8');
}
