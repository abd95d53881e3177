import { createHmac, hkdfSync, randomFillSync } from 'node:crypto';
import { type NetworkBits, networkOf } from '../addresses.ts';
import { type KeyConfig, masterKeyOf, previousMasterKeyOf } from './secrets/master-key.ts';

/** Keys that are stored instead of a client address and its network. */
export interface AddressKeys {
  readonly addressKey: string;
  readonly networkKey: string;
}

/** Derives the keys of an address in the form for rate limits: IPv4, or an IPv6 /64. */
export type AddressKeysOf = (address: string) => AddressKeys;

const ADDRESS_KEY_INFO = 'proofgate address keys v1';
const KEY_BYTES = 16;
/** An IPv4 address is its own network. IPv6 counts by /48, the block of one site: further /64s of it cost nothing. */
const NETWORK: NetworkBits = { ipv4Bits: 32, ipv6Bits: 48 };

/**
 * Creates the function that derives the keys for counts per address in the store. They are HMACs under a key derived
 * from the master key: all nodes share the counts, and a copy or backup of the database does not reveal who used the
 * wallet bridge or began a sign-in. A plain hash of an IPv4 address could be reversed by trying all of them.
 *
 * @throws ServiceError `config.invalid` as `masterKeyOf`
 */
export function createAddressKeys(config: KeyConfig): AddressKeysOf {
  const key = new Uint8Array(hkdfSync('sha256', masterKeyOf(config), '', ADDRESS_KEY_INFO, 32));
  const digest = (text: string): string =>
    createHmac('sha256', key).update(text).digest().subarray(0, KEY_BYTES).toString('base64url');
  return (address) => ({ addressKey: digest(address), networkKey: digest(networkOf(address, NETWORK)) });
}

/** Ids of requests on the wallet bridge, distinguishable from made-up ones without a read of the store. */
export interface BridgeIds {
  /** Returns a new id: a UUIDv4 with 74 random bits. */
  create(): string;
  /** Returns whether a node of this service created the id, even if it has expired since. */
  isOwn(id: string): boolean;
}

const BRIDGE_ID_INFO = 'proofgate bridge ids v1';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const UUID_BYTES = 16;
/** Number of bytes before the authentication code: random, except for version and variant (RFC 9562 section 5.4). */
const RANDOM_BYTES = 10;

/**
 * Creates and recognizes ids. The last 48 bits of an id are an HMAC of the others under a key derived from the master
 * key, so that all nodes recognize it, also after a restart; ids under the former master key are recognized too. Used only
 * for rate limits.
 *
 * @throws ServiceError `config.invalid` as `masterKeyOf`
 */
export function createBridgeIds(config: KeyConfig): BridgeIds {
  const previous = previousMasterKeyOf(config);
  const keyOf = (masterKey: Uint8Array): Uint8Array =>
    new Uint8Array(hkdfSync('sha256', masterKey, '', BRIDGE_ID_INFO, 32));
  const key = keyOf(masterKeyOf(config));
  const keys = previous === undefined ? [key] : [key, keyOf(previous)];
  const codeOf = (random: Uint8Array, key: Uint8Array): Buffer =>
    createHmac('sha256', key)
      .update(random)
      .digest()
      .subarray(0, UUID_BYTES - RANDOM_BYTES);
  return {
    create() {
      const random = randomFillSync(Buffer.alloc(RANDOM_BYTES));
      random.writeUInt8(0x40 | (random.readUInt8(6) & 0x0f), 6);
      random.writeUInt8(0x80 | (random.readUInt8(8) & 0x3f), 8);
      const hex = Buffer.concat([random, codeOf(random, key)]).toString('hex');
      return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    },
    isOwn(id) {
      if (!UUID.test(id)) return false;
      const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
      const [random, code] = [bytes.subarray(0, RANDOM_BYTES), bytes.subarray(RANDOM_BYTES)];
      return keys.some((each) => codeOf(random, each).equals(code));
    },
  };
}
