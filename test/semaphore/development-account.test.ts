import { describe, expect, it } from 'vitest';
import {
  accountNullifier,
  accountSecretOf,
  accountSession,
  nullifierText,
} from '../../src/semaphore/development-account.ts';
import { toHex } from '../../src/semaphore/hex.ts';
import { identityFromSecret } from '../../src/semaphore/identity.ts';
import { wordOf } from '../../src/semaphore/words.ts';

const SECRET = accountSecretOf(identityFromSecret('alice'));
const RP = 'rp_0234567890abcdef';

describe('the World ID 4.0 account of an identity', () => {
  it('has a secret of its own, in which neither secret of the identity can be seen', () => {
    const { trapdoor, nullifier } = identityFromSecret('alice');
    expect(toHex(SECRET)).toMatch(/^0x00[0-9a-f]{62}$/);
    expect([toHex(trapdoor), toHex(nullifier)]).not.toContain(toHex(SECRET));
    expect(accountSecretOf({ trapdoor, nullifier })).toEqual(SECRET);
    expect(accountSecretOf({ trapdoor: nullifier, nullifier: trapdoor })).not.toEqual(SECRET);
  });

  it('has another nullifier for another account, relying party or action, and sessions apart from them', () => {
    const other = accountSecretOf(identityFromSecret('bob'));
    const values = [
      accountNullifier(SECRET, RP, wordOf(1n)),
      accountNullifier(other, RP, wordOf(1n)),
      accountNullifier(SECRET, 'rp_0234567890abcdee', wordOf(1n)),
      accountNullifier(SECRET, RP, wordOf(2n)),
      accountSession(SECRET, RP, wordOf(1n)),
    ].map(nullifierText);
    expect(new Set(values).size).toBe(5);
    for (const value of values) expect(value).toMatch(/^nil_00[0-9a-f]{62}$/);
  });
});
