/** An instance of one of the modules; its functions need no `this`. */
export interface ProofgateWasm {
    readonly memory: WebAssembly.Memory;
    /**
     * Names the arithmetic of this build.
     */
    arithmetic(): string;
    /**
     * Takes a seed of 32 bytes, wipes the caller's copy and returns the key's handle.
     * Throws `signing_key.length`.
     */
    createSigningKey(seed: Uint8Array): number;
    /**
     * Multiplies the generator of G1 by k public scalars of 32 bytes: k × 64 bytes.
     * Throws `input.count`, `input.range`.
     */
    g1Multiples(scalars: Uint8Array): Uint8Array;
    /**
     * Multiplies the generator of G2 by k public scalars of 32 bytes: k × 128 bytes.
     * Throws `input.count`, `input.range`.
     */
    g2Multiples(scalars: Uint8Array): Uint8Array;
    /**
     * Hashes bytes under a tag with the Poseidon2 sponge.
     */
    hashBytes(tag: string, data: Uint8Array): Uint8Array;
    /**
     * Finds relations between the points of a verifying key; one sentence in each line. Throws `key.*`.
     */
    keyFaults(key: Uint8Array): string;
    /**
     * Hashes 1 to 16 field elements (32 bytes each, big-endian) with circomlib's Poseidon.
     */
    poseidon(inputs: Uint8Array): Uint8Array;
    /**
     * Permutes k states of `width` elements each, k × width × 32 bytes in and out.
     */
    poseidon2(width: number, states: Uint8Array): Uint8Array;
    /**
     * Hashes k times 1 to 16 field elements with circomlib's Poseidon, k × arity × 32 bytes to k × 32.
     */
    poseidonMany(arity: number, inputs: Uint8Array): Uint8Array;
    /**
     * Checks and prepares a verifying key; the answer is its handle. Throws `key.*`, naming the point.
     */
    prepareKey(key: Uint8Array): number;
    /**
     * The public key as x ‖ y ‖ compressed, 96 bytes. Throws `signing_key.unknown`.
     */
    publicKey(handle: number): Uint8Array;
    /**
     * Releases a verifying key; an unknown handle is ignored.
     */
    releaseKey(handle: number): void;
    /**
     * Wipes a signing key; an unknown handle is ignored.
     */
    releaseSigningKey(handle: number): void;
    /**
     * Forces one field arithmetic; throws `arithmetic.unknown` or `arithmetic.unsupported`.
     */
    selectArithmetic(name: string): void;
    /**
     * Signs k messages of 32 bytes: k × 64 bytes.
     * Throws `signing_key.unknown`, `input.count`, `input.range`.
     */
    sign(handle: number, messages: Uint8Array): Uint8Array;
    /**
     * Checks count × (256 + 32·n) bytes under one key; one verdict byte each,
     * 1 for a valid proof. `seed`: 32 fresh random bytes. Throws `key.unknown`, `batch.length`, `batch.seed`.
     */
    verifyBatch(handle: number, batch: Uint8Array, seed: Uint8Array): Uint8Array;
    /**
     * Checks proofs as `verifyBatch` does, without combining them: cheaper if many are bad.
     * Throws `key.unknown`, `batch.length`.
     */
    verifyEach(handle: number, batch: Uint8Array): Uint8Array;
    /**
     * Whether a signature of 64 bytes holds for a message under a compressed public key; malformed
     * bytes do not.
     */
    verifySignature(public_key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
}

/** Creates an instance of one of the modules, with memory and state of its own. */
export function instantiate(module: WebAssembly.Module): ProofgateWasm;
