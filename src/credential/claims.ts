/** Hashes bytes (spec/credential.md#byte-hash). */
export interface ClaimEngine {
  hashBytes(tag: string, data: Uint8Array): Promise<Uint8Array>;
}

/** Whom a credential without a package is for. Both values are 32 bytes, big-endian, below r. */
export interface ClaimedHolder {
  readonly idComm: Uint8Array;
  readonly sub: Uint8Array;
}

const TAG = 'CLAIMS_HASH_V1';

/**
 * Computes claims[0] of a refresh with a custody package (spec/credential.md#credential-hashes,
 * claim-of-package).
 *
 * @param manifest - The bytes of `hashes.json` exactly as received: key order and spaces affect the hash.
 * @throws ServiceError `hash.input` for no bytes, `engine.busy`, `engine.draining`
 */
export function claimOfPackage(engine: ClaimEngine, manifest: Uint8Array): Promise<Uint8Array> {
  return engine.hashBytes(TAG, manifest);
}

/**
 * Computes claims[0] of a refresh without a package: the hash of BE32(idComm) ‖ BE32(sub) ‖ BE8(seconds).
 *
 * @param unixSeconds - Time of issuance, whole seconds.
 * @throws ServiceError `engine.busy`, `engine.draining`
 */
export function claimOfRefresh(
  engine: ClaimEngine,
  holder: ClaimedHolder,
  unixSeconds: number | bigint,
): Promise<Uint8Array> {
  const data = new Uint8Array(72);
  data.set(holder.idComm);
  data.set(holder.sub, 32);
  new DataView(data.buffer).setBigUint64(64, BigInt(unixSeconds));
  return engine.hashBytes(TAG, data);
}
