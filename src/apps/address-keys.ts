import { createHmac, hkdfSync } from 'node:crypto';
import { type NetworkBits, networkOf } from '../addresses.ts';
import { type KeyConfig, masterKeyOf } from './secrets/master-key.ts';

/** Keys that the store holds in place of a client address and its network. */
export interface AddressKeys {
  readonly addressKey: string;
  readonly networkKey: string;
}

/** Derives the keys of an address in the form that rate limits use: IPv4, or an IPv6 /64. */
export type AddressKeysOf = (address: string) => AddressKeys;

const INFO = 'proofgate address keys v1';
const KEY_BYTES = 16;
/** An IPv4 address is its own network. IPv6 counts by /48, the block of one site: further /64s of it cost nothing. */
const NETWORK: NetworkBits = { ipv4Bits: 32, ipv6Bits: 48 };

/**
 * Creates the function that derives the keys under which the store counts per address. They are HMACs under a key
 * derived from the master key: all nodes count together, and a copy or backup of the database does not reveal who
 * used the wallet bridge or began a sign-in. A plain hash of an IPv4 address could be reversed by trying all of them.
 *
 * @throws ServiceError `config.invalid` as `masterKeyOf`
 */
export function createAddressKeys(config: KeyConfig): AddressKeysOf {
  const key = new Uint8Array(hkdfSync('sha256', masterKeyOf(config), '', INFO, 32));
  const digest = (text: string): string =>
    createHmac('sha256', key).update(text).digest().subarray(0, KEY_BYTES).toString('base64url');
  return (address) => ({ addressKey: digest(address), networkKey: digest(networkOf(address, NETWORK)) });
}
