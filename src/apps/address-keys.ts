import { createHmac, hkdfSync } from 'node:crypto';
import { type NetworkBits, networkOf } from '../addresses.ts';
import { type KeyConfig, masterKeyOf } from './secrets/master-key.ts';

/** What stands in the store for a client address and for its network. */
export interface AddressKeys {
  readonly addressKey: string;
  readonly networkKey: string;
}

/** Makes the keys of an address that is given as rate limits take it: IPv4, or an IPv6 /64. */
export type AddressKeysOf = (address: string) => AddressKeys;

const INFO = 'proofgate address keys v1';
const KEY_BYTES = 16;
/** An IPv4 address is its own network; one of IPv6 is a /48, the block that a site has: a /64 of it costs nothing. */
const NETWORK: NetworkBits = { ipv4Bits: 32, ipv6Bits: 48 };

/**
 * Makes the keys under which the store counts what an address holds. They are HMACs under a key that is derived from
 * the master key, so that all nodes count together and a copy of the database, a backup among them, does not tell who
 * used the wallet bridge or began a sign-in: a plain hash of an IPv4 address is undone by trying all of them.
 *
 * @throws ServiceError `config.invalid` as `masterKeyOf`
 */
export function createAddressKeys(config: KeyConfig): AddressKeysOf {
  const key = new Uint8Array(hkdfSync('sha256', masterKeyOf(config), '', INFO, 32));
  const digest = (text: string): string =>
    createHmac('sha256', key).update(text).digest().subarray(0, KEY_BYTES).toString('base64url');
  return (address) => ({ addressKey: digest(address), networkKey: digest(networkOf(address, NETWORK)) });
}
