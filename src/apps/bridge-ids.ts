import { createHmac, hkdfSync, randomFillSync } from 'node:crypto';
import { type KeyConfig, masterKeyOf } from './secrets/master-key.ts';

/** Ids of requests on the wallet bridge that are told from made-up ones without a read of the store. */
export interface BridgeIds {
  /** Returns a new id: a UUIDv4 with 74 random bits. */
  create(): string;
  /** Returns whether a node of this service has created the id, which may have expired since. */
  isOwn(id: string): boolean;
}

const INFO = 'proofgate bridge ids v1';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const UUID_BYTES = 16;
/** Bytes before the authentication code: random, but for the version and the variant (RFC 9562 section 5.4). */
const RANDOM_BYTES = 10;

/**
 * Creates and recognizes ids. The last 48 bits of an id are an HMAC of the others under a key derived from the
 * master key, so that all nodes recognize it, also after a restart. It decides about rate limits only.
 *
 * @throws ServiceError `config.invalid` as `masterKeyOf`
 */
export function createBridgeIds(config: KeyConfig): BridgeIds {
  const key = new Uint8Array(hkdfSync('sha256', masterKeyOf(config), '', INFO, 32));
  const codeOf = (random: Uint8Array): Buffer =>
    createHmac('sha256', key)
      .update(random)
      .digest()
      .subarray(0, UUID_BYTES - RANDOM_BYTES);
  return {
    create() {
      const random = randomFillSync(Buffer.alloc(RANDOM_BYTES));
      random.writeUInt8(0x40 | (random.readUInt8(6) & 0x0f), 6);
      random.writeUInt8(0x80 | (random.readUInt8(8) & 0x3f), 8);
      const hex = Buffer.concat([random, codeOf(random)]).toString('hex');
      return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    },
    isOwn(id) {
      if (!UUID.test(id)) return false;
      const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
      return codeOf(bytes.subarray(0, RANDOM_BYTES)).equals(bytes.subarray(RANDOM_BYTES));
    },
  };
}
