import type { Engine } from '../../engine/index.ts';
import type { Bytes32 } from '../../storage/index.ts';
import type { Holder } from '../types.ts';

/** The part of the engine that hashes claims. */
export type ClaimEngine = Pick<Engine, 'hashBytes'>;

const TAG = 'CLAIMS_HASH_V1';

/**
 * Computes claims[0] of a refresh with a custody package (spec/credential.md#credential-hashes,
 * claim-of-package).
 *
 * @param manifest - The bytes of `hashes.json` exactly as received: key order and spaces affect the hash.
 * @throws ServiceError `hash.input` for no bytes, `engine.busy`, `engine.draining`
 */
export function claimOfPackage(engine: ClaimEngine, manifest: Uint8Array): Promise<Bytes32> {
  return engine.hashBytes(TAG, manifest);
}

/**
 * Computes claims[0] of a refresh without a package: the hash of BE32(idComm) ‖ BE32(sub) ‖ BE8(seconds).
 *
 * @param unixSeconds - Time of issuance, whole seconds.
 * @throws ServiceError `engine.busy`, `engine.draining`
 */
export function claimOfRefresh(engine: ClaimEngine, holder: Holder, unixSeconds: number): Promise<Bytes32> {
  const data = new Uint8Array(72);
  data.set(holder.idComm);
  data.set(holder.sub, 32);
  new DataView(data.buffer).setBigUint64(64, BigInt(unixSeconds));
  return engine.hashBytes(TAG, data);
}
