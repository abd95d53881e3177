/**
 * Writes the vectors of `test/vectors/forms`, with the tools that `.ci/interop-setup.sh` installs:
 *
 *     node --import tsx test/interop/support/make-form-vectors.ts
 *
 * Keys and proofs come out new each time.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { ARKWORKS, GNARK, type Groth16Tool, ZOKRATES } from './groth16-tools.ts';

const FOLDER = new URL('../../vectors/forms/', import.meta.url);

const GNARK_LAYOUT = {
  number:
    'JSON: decimal. Text if longer than 15 characters, else a JSON number. A value p - n (coordinate) or r - n (signal) with n up to 65535 is -n: see points.g1Negated and the witness of circuit three. gnark itself also reads 0x, 0o, 0b and a leading 0 (octal) in text, and reduces.',
  g1: 'JSON {X, Y}. raw: X | Y, 32 bytes each, big-endian, no flags. compressed: X, 32 bytes big-endian, with flags.',
  g2: 'JSON {X: {A0, A1}, Y: {A0, A1}}, A0 + A1 u. raw: X.A1 | X.A0 | Y.A1 | Y.A0. compressed: X.A1 | X.A0 with flags.',
  flags:
    'The two highest bits of the first byte: 00 raw, 10 compressed with the smaller y, 11 compressed with the larger y, 01 compressed infinity (all other bits 0). Raw infinity is all zeros, without a flag. A reader tells raw from compressed by each point, so forms may be mixed.',
  larger: 'G1: y > p - y as integers. G2: A1 of y decides by the same rule; if A1 is 0, A0.',
  infinity: 'JSON: all coordinates 0.',
  key: 'G1.Alpha | G1.Beta | G2.Beta | G2.Gamma | G1.Delta | G2.Delta | uint32 count of K | K[] | uint32 count of PublicAndCommitmentCommitted | each: uint32 count, uint64 indices | uint32 count of CommitmentKeys | each: G (G2), GSigmaNeg (G2). Integers are big-endian. Without commitments the last three are 8 zero bytes. count of K = 1 + public signals + commitments. Indices count from 1; those above the public signals are earlier commitments.',
  keyJson:
    'G1 {Alpha, Beta, Delta, K}, G2 {Beta, Delta, Gamma}, CommitmentKeys (null without commitments), PublicAndCommitmentCommitted ([] without commitments, [[]] for one that commits to no public signal). Indices are JSON numbers.',
  keySizes:
    'With k points in K, without commitments: raw 588 + 64 k, compressed 300 + 32 k bytes. Each commitment adds 4, 8 for each index, and 256 (raw) or 128 (compressed).',
  proof:
    'Ar (G1) | Bs (G2) | Krs (G1) | uint32 count of Commitments, big-endian | Commitments[] (G1) | CommitmentPok (G1). raw 324 + 64 n bytes, compressed 164 + 32 n, with n commitments. Without commitments CommitmentPok is infinity: raw 64 zeros, compressed 0x40 and 31 zeros.',
  proofJson: 'Ar, Krs, Bs, Commitments ([] if none), CommitmentPok ({X: 0, Y: 0} if none).',
  solidity:
    'MarshalSolidity: without commitments the first 256 bytes of the raw proof, the eight words of EIP-197. With commitments, 0.15 leaves out the count, older ones give the whole raw proof.',
  witness:
    'binary: uint32 count of public | uint32 count of secret (0) | uint32 count of all | values, 32 bytes big-endian each. JSON: members by name of the circuit.',
  commitments:
    'For commitment i: h_i = hash(raw bytes of Commitments[i] | committed public signals, 32 bytes big-endian each, by PublicAndCommitmentCommitted[i]) is appended to the public signals. Sum over K, plus all Commitments, replaces the usual sum. hash is expand_message_xmd of RFC 9380 with SHA-256 and domain bsb22-commitment to 48 bytes, reduced by r; for Solidity it is keccak256 (or sha256) reduced by r. Proof of knowledge: product of e(c^i Commitments[i], GSigmaNeg_i) and e(CommitmentPok, G) is 1, where G is the same in all keys and c is the same function of all h_i, 32 bytes each, with domain G16-BSB22; with one commitment c has no effect.',
  versions:
    'Points, their order and the flags are those of 0.6 and all later ones. Up to 0.8 a key ends after K (raw 580 + 64 k, compressed 292 + 32 k bytes) and a proof after Krs (256, 128); the JSON of 0.8 has Commitment, CommitmentPok, CommitmentKey and CommitmentInfo, which its binary forms leave out. In 0.9 and 0.10 one CommitmentKey follows PublicAndCommitmentCommitted, without a count and with two points of G2 even if there is no commitment (raw 840 + 64 k, compressed 424 + 32 k bytes without commitments); its JSON member CommitmentKey is {} in 0.9 and {G, GRootSigmaNeg} in 0.10. There, with one commitment, e(Commitments[0], G) e(CommitmentPok, GRootSigmaNeg) is 1; several are folded by another challenge. From 0.11 on as above; 0.11 calls GSigmaNeg GSigma. Up to 0.7, JSON has -n for n below 2^64, as text if long.',
  sources:
    'gnark, backend/groth16/bn254/marshal.go, verify.go and solidity.go, backend/witness/witness.go; gnark-crypto, ecc/bn254/marshal.go, ecc/bn254/fp/element.go, ecc/bn254/fr/pedersen/pedersen.go.',
};

const ARKWORKS_LAYOUT = {
  number: '32 bytes, little-endian, below p or r.',
  g1: 'uncompressed: x | y with flags. compressed: x with flags.',
  g2: 'uncompressed: x.c0 | x.c1 | y.c0 | y.c1 with flags. compressed: x.c0 | x.c1 with flags. c0 + c1 u.',
  flags:
    'The two highest bits of the LAST byte of a point, in both forms: 00 the smaller y, 10 the larger y, 01 infinity (written with zeros), 11 invalid.',
  flagsRead:
    'arkworks 0.6 ignores the bit of the larger y in an uncompressed point, and other bits beside the flag of infinity. 0.3 writes no bit of the larger y in uncompressed points; the compressed form is the same from 0.3 on.',
  larger: 'G1: y > p - y as integers. G2: c1 of y decides by the same rule; if c1 is 0, c0.',
  key: 'alpha_g1 | beta_g2 | gamma_g2 | delta_g2 | uint64 count of gamma_abc_g1, little-endian | gamma_abc_g1[]. compressed 232 + 32 k, uncompressed 456 + 64 k bytes, where k is the count, which is 1 + public signals.',
  preparedKey:
    'The key in its form, then preparedTail, which is 33810 bytes and the same in both forms: e(alpha, beta) as 12 numbers of Fq12 (384 bytes) | -gamma, then -delta, each prepared: uint64 count 87, little-endian | 87 lines of three numbers of Fq2 (192 bytes) | one byte 0 (infinity).',
  proof: 'a (G1) | b (G2) | c (G1). compressed 128, uncompressed 256 bytes.',
  signalBytes: 'Vec<Fr>: uint64 count, little-endian | 32 bytes each. Both forms are equal.',
  trailing: 'arkworks reads the first bytes and ignores what follows.',
  versions: 'ark-groth16 0.6.0 reads and writes the same bytes as 0.5.0.',
  sources:
    'ark-groth16, src/data_structures.rs; ark-ec, src/models/short_weierstrass/serialization_flags.rs and src/models/bn/g2.rs; ark-ff, src/fields/models/quadratic_extension.rs.',
};

const ZOKRATES_LAYOUT = {
  number: '0x and 64 lower-case digits, with leading zeros, for coordinates and inputs.',
  g1: '[x, y].',
  g2: '[[x.c0, x.c1], [y.c0, y.c1]], as snarkjs has it, not the order of Solidity: its exported contract swaps.',
  key: 'scheme g16, curve bn128, alpha (G1), beta, gamma, delta (G2), gamma_abc (G1[], 1 + public inputs).',
  proof:
    'scheme, curve, proof {a (G1), b (G2), c (G1)}, inputs. The last inputs are the values that the program returns.',
  gm17: 'Another proof system: key members h, g_alpha, h_beta, g_gamma, h_gamma, query; its proof has the members of a g16 proof and differs only by scheme.',
  read: 'ZoKrates reads inputs as hex even without 0x (decimal text is another number), accepts fewer and upper-case digits, and refuses a proof without scheme and curve. Older releases wrote {proof, inputs, raw} without scheme and curve.',
  sources: 'ZoKrates, zokrates_proof_systems/src/lib.rs, tagged.rs, scheme/groth16.rs and scheme/gm17.rs.',
};

await write(GNARK, GNARK_LAYOUT);
await write(ARKWORKS, ARKWORKS_LAYOUT);
await write(ZOKRATES, ZOKRATES_LAYOUT);

async function write<Document extends { readonly tool: string; readonly version: string }>(
  { made, vectors }: Groth16Tool<Document>,
  layout: Readonly<Record<string, string>>,
): Promise<void> {
  const document = await made();
  const { tool, version } = document;
  const source = `made by ${tool} ${version} with test/interop/support/make-form-vectors.ts`;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(
    new URL(`${vectors}.json`, FOLDER),
    `${JSON.stringify({ source, layout, ...document }, undefined, 1)}\n`,
  );
}
