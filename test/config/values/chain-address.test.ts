import { describe, expect, it } from 'vitest';
import { PRESETS } from '../../../src/config/roots/presets.ts';
import { chainAddressFault } from '../../../src/config/roots/read-sources.ts';

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
const [, , , , MIXED = ''] = VECTORS;

describe('the address of a contract', () => {
  it.each(VECTORS)('%s is taken with the checksum of EIP-55', (address) => {
    expect(chainAddressFault(address)).toBeUndefined();
  });

  it.each(Object.entries(PRESETS))('of the preset %s has its checksum', (_name, preset) => {
    const addresses = Object.values(preset).filter((value) => /^0x/.test(String(value)));
    expect(addresses).not.toEqual([]);
    for (const address of addresses) {
      expect(String(address)).toMatch(/[A-F]/);
      expect(chainAddressFault(address)).toBeUndefined();
    }
  });

  it('is taken in a single case, which has no checksum', () => {
    expect(chainAddressFault(MIXED.toLowerCase())).toBeUndefined();
    expect(chainAddressFault(`0x${MIXED.slice(2).toUpperCase()}`)).toBeUndefined();
  });

  it('is refused with one letter in the other case, and the right form is named', () => {
    const fault = `wrong checksum (ERC-55), expected ${MIXED} if its digits are right`;
    expect(chainAddressFault('0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')).toBe(fault);
  });

  it('is refused with one digit changed', () => {
    expect(chainAddressFault('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAee')).toMatch(/^wrong checksum/);
  });

  it.each([
    ['19 bytes', MIXED.slice(0, -2)],
    ['21 bytes', `${MIXED}00`],
    ['no prefix', MIXED.slice(2)],
    ['another prefix', MIXED.replace('0x', '0X')],
    ['another letter', `${MIXED.slice(0, -1)}g`],
    ['a space', `${MIXED} `],
    ['nothing', ''],
    ['a number', 1],
  ])('is refused with %s', (_fault, text) => {
    expect(chainAddressFault(text)).toBe('expected 0x and 40 hex digits');
  });
});
