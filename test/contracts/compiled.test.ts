import { keccak_256 } from '@noble/hashes/sha3.js';
import { describe, expect, it } from 'vitest';
import { KEY_EVENTS, ROOT_CONTRACTS } from '../../src/membership/sources/reader/contracts.ts';
import { compileContracts } from '../support/chain/compile-contracts.ts';
import { CONTRACTS, type ContractName } from '../support/chain/contracts.ts';

const hashOf = (signature: string): string =>
  `0x${Buffer.from(keccak_256(Buffer.from(signature))).toString('hex')}`;
const eventsOf = (contract: ContractName): string[] => CONTRACTS[contract].events.map(hashOf);

describe('the contracts of tests', () => {
  it('are committed as they compile', () => {
    expect(compileContracts()).toEqual(CONTRACTS);
  });

  it.each([
    ['identity-manager', 'IdentityManager'],
    ['bridged', 'BridgedWorldId'],
    ['registry4', 'WorldIdRegistry'],
  ] as const)('have the event, the function and the error of %s', (kind, contract) => {
    const { rootEvent, latestRoot, emptyError } = ROOT_CONTRACTS[kind];
    const { methods, errors } = CONTRACTS[contract];
    expect(eventsOf(contract)).toContain(rootEvent);
    expect(Object.values(methods)).toContain(latestRoot.data.slice(2));
    if (emptyError !== undefined)
      expect(errors.map((error) => hashOf(error).slice(0, 10))).toContain(emptyError);
  });

  it('have the events of keys', () => {
    expect(eventsOf('WorldIdRegistry')).toEqual(expect.arrayContaining(Object.keys(KEY_EVENTS)));
  });

  // Selectors of the published contracts: spec/roots.md#contracts.
  it.each<[ContractName, readonly string[]]>([
    ['IdentityManager', ['d7b0fef1', '3f7c178d', '43f974cb', '8e5cdd50']],
    ['BridgedWorldId', ['d7b0fef1', 'f1c621ee', 'b0d69079']],
    [
      'WorldIdRegistry',
      [
        '5445b007',
        '8561a5ef',
        '2cdabbce',
        '65b64a72',
        '8e5cdd50',
        '94db8bd2',
        '7488e8e7',
        'c6c15ae0',
        '340eb98f',
        '1dfc0cea',
        '46657fe9',
        '2fbeebea',
      ],
    ],
  ])('%s has the view functions of the published one', (contract, selectors) => {
    expect(Object.values(CONTRACTS[contract].methods)).toEqual(expect.arrayContaining([...selectors]));
  });
});
