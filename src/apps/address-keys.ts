import { createHmac, hkdfSync } from 'node:crypto';
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
const GROUPS_OF_48_BITS = 3;

/**
 * Makes the keys under which the store counts what an address holds. They are HMACs under a key that is derived from
 * the master key, so that all nodes count together and a copy of the database, a backup among them, does not tell who
 * used the wallet bridge or began a sign-in: a plain hash of an IPv4 address is undone by trying all of them.
 *
 * An IPv6 network is a /48, the block that a site has: a /64 of it costs nothing.
 *
 * @throws ServiceError `config.invalid` as `masterKeyOf`
 */
export function createAddressKeys(config: KeyConfig): AddressKeysOf {
  const key = new Uint8Array(hkdfSync('sha256', masterKeyOf(config), '', INFO, 32));
  const digest = (text: string): string =>
    createHmac('sha256', key).update(text).digest().subarray(0, KEY_BYTES).toString('base64url');
  return (address) => ({ addressKey: digest(address), networkKey: digest(networkOf(address)) });
}

function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  return `${address.split(':').slice(0, GROUPS_OF_48_BITS).join(':')}::/48`;
}
