import { describe, expect, it } from 'vitest';
import { checksumAddress, parseContractAddress } from '../../src/chain/address.ts';
import { PRESETS } from '../../src/membership/sources/presets.ts';

/** Test cases of EIP-55. */
const VECTORS = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
];

describe('the address of a contract', () => {
  it.each(VECTORS)('%s has the checksum of EIP-55', (address) => {
    expect(checksumAddress(address.toLowerCase())).toBe(address);
    expect(parseContractAddress(address)).toBe(address.toLowerCase());
  });

  it('of each preset has its checksum', () => {
    const addresses = Object.values(PRESETS).flatMap(({ contract, issuers, oprfKeys, verifier }) =>
      [contract, issuers, oprfKeys, verifier].filter((address) => address !== undefined),
    );
    expect(addresses.length).toBeGreaterThan(15);
    expect(addresses.map(checksumAddress)).toEqual(addresses);
  });

  it('is taken in a single case, which has no checksum', () => {
    const address = VECTORS[4] as string;
    expect(parseContractAddress(address.toLowerCase())).toBe(address.toLowerCase());
    expect(parseContractAddress(`0x${address.slice(2).toUpperCase()}`)).toBe(address.toLowerCase());
  });

  it.each([
    ['one letter in the other case', '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
    ['one digit changed', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAee'],
    ['19 bytes', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeA'],
    ['no prefix', '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
    ['another prefix', '0X5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
    ['another letter', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeg'],
    ['nothing', ''],
  ])('is refused with %s', (_fault, text) => {
    expect(parseContractAddress(text)).toBeUndefined();
  });
});
