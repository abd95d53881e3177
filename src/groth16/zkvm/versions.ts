/**
 * Selectors: the first four bytes of what SP1 and RISC Zero put before a proof. They say which verifying key, and which
 * release, a proof is for.
 */

/** A release of SP1 whose Groth16 proofs have one verifying key. */
export interface Sp1Version {
  readonly name: string;
  readonly selector: string;
  /** From v6 on: the root over the keys of the recursion programs, a public signal that every proof repeats. */
  readonly vkRoot?: string;
}

/**
 * A selector of SP1 is the first four bytes of SHA-256 of gnark's compressed verifying key
 * (`vk-artifacts/groth16_vk.bin` of the crate sp1-verifier) and of VERIFIER_HASH in
 * `contracts/src/<version>/SP1VerifierGroth16.sol` of succinctlabs/sp1-contracts, which also has VK_ROOT; that of v6.1.0
 * is VK_ROOT_BYTES of the crates sp1-verifier 6.1.0 to 6.10.0.
 */
export const SP1_VERSIONS: readonly Sp1Version[] = [
  { name: 'sp1 v2.0.0', selector: '0x6a2906ac' },
  { name: 'sp1 v3.0.0', selector: '0x09069090' },
  { name: 'sp1 v4.0.0', selector: '0x11b6a09d' },
  { name: 'sp1 v5.0.0', selector: '0xa4594c59' },
  {
    name: 'sp1 v6.0.0',
    selector: '0x0e78f4db',
    vkRoot: '0x008cd56e10c2fe24795cff1e1d1f40d3a324528d315674da45d26afb376e8670',
  },
  {
    name: 'sp1 v6.1.0',
    selector: '0x4388a21c',
    vkRoot: '0x002f850ee998974d6cc00e50cd0814b098c05bfade466d28573240d057f25352',
  },
];

/** A release of RISC Zero: which recursion programs made the proof. One verifying key serves them all. */
export interface Risc0Version {
  readonly name: string;
  readonly selector: string;
  /** Root over the control ids of the allowed recursion programs. */
  readonly controlRoot: string;
  /** Control id of the program that ends the recursion over BN254, as a number: the byte order of the contract. */
  readonly bn254ControlId: string;
}

const IDENTITY_SINCE_1_2 = '0x04446e66d300eb7fb45c9726bb53c793dda407a62e9601618bb43c5c14657ac0';

/**
 * Selectors: `contracts/src/selector.rs` of risc0/risc0-ethereum (that of v1.0 is derived). Roots and ids:
 * `control_id.rs` of the crates risc0-circuit-recursion 1.0.5 to 4.0.3, `contracts/src/groth16/ControlID.sol` of
 * risc0/risc0-ethereum. A selector is the first four bytes of the tagged hash of both and of the verifying key
 * (`risc0.Groth16ReceiptVerifierParameters`), which test/groth16/zkvm/versions.test.ts repeats for every row.
 */
export const RISC0_VERSIONS: readonly Risc0Version[] = [
  {
    name: 'risc0 v1.0',
    selector: '0x310fe598',
    controlRoot: '0xa516a057c9fbf5629106300934d48e0e775d4230e41e503347cad96fcbde7e2e',
    bn254ControlId: '0x0eb6febcf06c5df079111be116f79bd8c7e85dc9448776ef9a59aaf2624ab551',
  },
  {
    name: 'risc0 v1.1',
    selector: '0x50bd1769',
    controlRoot: '0x8b6dcf11d463ac455361b41fb3ed053febb817491bdea00fdb340e45013b852e',
    bn254ControlId: '0x05a022e1db38457fb510bc347b30eb8f8cf3eda95587653d0eac19e1f10d164e',
  },
  {
    name: 'risc0 v1.2',
    selector: '0xc101b42b',
    controlRoot: '0x8cdad9242664be3112aba377c5425a4df735eb1c6966472b561d2855932c0469',
    bn254ControlId: IDENTITY_SINCE_1_2,
  },
  {
    name: 'risc0 v2.0',
    selector: '0x9f39696c',
    controlRoot: '0x539032186827b06719244873b17b2d4c122e2d02cfb1994fe958b2523b844576',
    bn254ControlId: IDENTITY_SINCE_1_2,
  },
  {
    name: 'risc0 v2.1',
    selector: '0xf536085a',
    controlRoot: '0x884389273e128b32475b334dec75ee619b77cb33d41c332021fe7e44c746ee60',
    bn254ControlId: IDENTITY_SINCE_1_2,
  },
  {
    name: 'risc0 v2.2',
    selector: '0xbb001d44',
    controlRoot: '0xce52bf56033842021af3cf6db8a50d1b7535c125a34f1a22c6fdcf002c5a1529',
    bn254ControlId: IDENTITY_SINCE_1_2,
  },
  {
    name: 'risc0 v3.0',
    selector: '0x73c457ba',
    controlRoot: '0xa54dc85ac99f851c92d7c96d7318af41dbe7c0194edfcc37eb4d422a998c1f56',
    bn254ControlId: IDENTITY_SINCE_1_2,
  },
];

/**
 * What else has a selector and is no Groth16 proof: SHA-256 of `vk-artifacts/plonk_vk.bin` of the crates sp1-verifier;
 * `contracts/src/selector.rs` of risc0/risc0-ethereum.
 */
const OTHER_PROOFS: readonly { readonly name: string; readonly selector: string }[] = [
  { name: 'sp1 v3.0.0, PLONK', selector: '0x54bdcae3' },
  { name: 'sp1 v4.0.0, PLONK', selector: '0x1b34fe11' },
  { name: 'sp1 v5.0.0, PLONK', selector: '0xd4e8ecd2' },
  { name: 'sp1 v6.0.0, PLONK', selector: '0xbb1a6f29' },
  { name: 'sp1 v6.1.0, PLONK', selector: '0x5a093a2f' },
  { name: 'risc0, fake receipt of development', selector: '0xffffffff' },
  { name: 'risc0 set verifier v0.1', selector: '0xbfca9ccb' },
  { name: 'risc0 set verifier v0.2', selector: '0x16a15cc8' },
  { name: 'risc0 set verifier v0.4', selector: '0xf443ad7b' },
  { name: 'risc0 set verifier v0.5', selector: '0xf2e6e6dc' },
  { name: 'risc0 set verifier v0.6', selector: '0x80479d24' },
  { name: 'risc0 set verifier v0.7', selector: '0x0f63ffd5' },
  { name: 'risc0 set verifier v0.9', selector: '0x242f9d5b' },
];

const NAMES: ReadonlyMap<string, string> = new Map(
  [...SP1_VERSIONS, ...RISC0_VERSIONS, ...OTHER_PROOFS].map(({ selector, name }) => [selector, name]),
);

/**
 * Names the tool and release of a selector for messages, such as `sp1 v5.0.0`, `risc0 v3.0` or `sp1 v5.0.0, PLONK`.
 *
 * @param selector - `0x` and eight hex digits of either case.
 */
export function selectorName(selector: string): string | undefined {
  return NAMES.get(selector.toLowerCase());
}
