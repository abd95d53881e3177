/**
 * Proving keys (zkey) of a few hundred bytes: the header sections of a real one, without the points of a
 * circuit.
 */
import { readFileSync } from 'node:fs';
import { P, R } from './bn254.ts';

const MONTGOMERY = 2n ** 256n;

/** A verifying key in snarkjs JSON, points in decimal. */
export interface SnarkjsKey {
  nPublic: number;
  vk_alpha_1: string[];
  vk_beta_2: string[][];
  vk_gamma_2: string[][];
  vk_delta_2: string[][];
  IC: string[][];
}

/** A section: its type and bytes. */
export type Section = readonly [type: number, bytes: Uint8Array];

/** Header fields of a zkey, which tests may falsify. */
export interface ZkeyHead {
  protocol: number;
  q: Uint8Array;
  r: Uint8Array;
  nPublic: number;
}

/** Reads the verifying key of a built-in circuit. */
export function builtInJson(name: string): SnarkjsKey {
  const file = new URL(`../../../circuits/${name}/verification-key.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as SnarkjsKey;
}

/** Encodes a number in little-endian bytes. */
export function littleEndian(value: bigint, bytes = 32): Uint8Array {
  return Uint8Array.from({ length: bytes }, (_, index) => Number((value >> BigInt(8 * index)) & 0xffn));
}

/**
 * Sections 1 to 3 of the zkey of a key; β and δ in G1, which a verifying key does not have, are the
 * generator.
 */
export function zkeySections(key: SnarkjsKey, changes: Partial<ZkeyHead> = {}): [Section, Section, Section] {
  const head: ZkeyHead = {
    protocol: 1,
    q: littleEndian(P),
    r: littleEndian(R),
    nPublic: key.nPublic,
    ...changes,
  };
  const other = g1(['1', '2', '1']);
  const header = concat([
    uint32(head.q.length),
    head.q,
    uint32(head.r.length),
    head.r,
    uint32(8000),
    uint32(head.nPublic),
    uint32(8192),
    g1(key.vk_alpha_1),
    other,
    g2(key.vk_beta_2),
    g2(key.vk_gamma_2),
    other,
    g2(key.vk_delta_2),
  ]);
  return [
    [1, uint32(head.protocol)],
    [2, header],
    [3, concat(key.IC.map(g1))],
  ];
}

/** A contribution in section 10. */
export interface Contribution {
  readonly type?: number;
  /** δ after it in G1; default the one that `zkeySections` writes. */
  readonly delta?: Uint8Array;
  readonly parameters?: Uint8Array;
}

/** Section 10, whose hashes and keys of contributions are zeros. @param count - Default the true one. */
export function contributionsSection(
  contributions: readonly Contribution[],
  count: number = contributions.length,
): Section {
  const entries = contributions.map(
    ({ type = 0, delta = g1(['1', '2', '1']), parameters = new Uint8Array() }) =>
      concat([delta, new Uint8Array(320), uint32(type), uint32(parameters.length), parameters]),
  );
  return [10, concat([new Uint8Array(64), uint32(count), ...entries])];
}

/** A zkey file of these sections, in order. */
export function zkeyFile(sections: readonly Section[], version = 1): Buffer {
  const parts = sections.flatMap(([type, bytes]) => [
    uint32(type),
    littleEndian(BigInt(bytes.length), 8),
    bytes,
  ]);
  return Buffer.from(concat([Buffer.from('zkey'), uint32(version), uint32(sections.length), ...parts]));
}

/** The zkey of a key: its header sections and a section 4 of zeros. */
export function makeZkey(key: SnarkjsKey, changes: Partial<ZkeyHead> = {}): Buffer {
  return zkeyFile([...zkeySections(key, changes), [4, new Uint8Array(40)]]);
}

function uint32(value: number): Uint8Array {
  return littleEndian(BigInt(value), 4);
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

function montgomery(decimal: string): Uint8Array {
  return littleEndian((BigInt(decimal) * MONTGOMERY) % P);
}

function g1([x = '', y = '', z]: readonly string[]): Uint8Array {
  return z === '0' ? new Uint8Array(64) : concat([montgomery(x), montgomery(y)]);
}

function g2([x = [], y = [], z = []]: readonly (readonly string[])[]): Uint8Array {
  return z[0] === '0' ? new Uint8Array(128) : concat([...x, ...y].map(montgomery));
}
