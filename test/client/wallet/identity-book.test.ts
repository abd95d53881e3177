import { describe, expect, it } from 'vitest';
import {
  openIdentityBook,
  STORAGE_KEY,
  storedIdentity,
} from '../../../src/client/wallet/identity/identity-book.ts';
import { identityFromSecret } from '../../../src/semaphore/identity.ts';
import { memoryStorage } from '../../support/memory-storage.ts';

const commitment = (digit: string): string => `0x${digit.repeat(64)}`;
const person = (label: string, digit: string) =>
  storedIdentity(label, identityFromSecret(label), commitment(digit));

describe('the identities of a browser', () => {
  it('survive a reload with their labels, secrets and selection', () => {
    const storage = memoryStorage();
    const book = openIdentityBook(() => storage);
    book.add(person('proofgate', '1'));
    book.add(person('second', '2'));
    book.select(commitment('1'));

    const again = openIdentityBook(() => storage);
    expect(again.identities.map(({ label }) => label)).toEqual(['proofgate', 'second']);
    expect(again.selected?.label).toBe('proofgate');
    // vector of spec/verification.md#identity-from-a-secret
    expect(again.identities[0]).toMatchObject({
      trapdoor: '0x0a6b17a7e1d4e1d6ef2450a346624eba1840fc124a180cab44b1bda7890ea80d',
      nullifier: '0x0c3ecb9fda8b81fd04f74e9f854f0e5fda9699ac7802c76aacf9dc287345f582',
    });
  });

  it('are selected when they are added, and one that exists already keeps its label', () => {
    const book = openIdentityBook(() => memoryStorage());
    book.add(person('first', '1'));
    book.add(person('second', '2'));
    expect(book.selected?.label).toBe('second');
    book.add({ ...person('first', '1'), label: 'other label' });
    expect(book.identities).toHaveLength(2);
    expect(book.selected?.label).toBe('first');
  });

  it('fall back to the first one when the selected one is deleted', () => {
    const book = openIdentityBook(() => memoryStorage());
    book.add(person('first', '1'));
    book.add(person('second', '2'));
    book.remove(commitment('2'));
    expect(book.selected?.label).toBe('first');
    book.remove(commitment('1'));
    expect(book.selected).toBeUndefined();
    expect(book.identities).toEqual([]);
  });

  it('notify listeners of every change, including those of another tab', () => {
    const storage = memoryStorage();
    const book = openIdentityBook(() => storage);
    let changes = 0;
    book.subscribe(() => changes++);
    openIdentityBook(() => storage).add(person('from another tab', '3'));
    book.reload();
    expect(book.identities.map(({ label }) => label)).toEqual(['from another tab']);
    book.select(commitment('3'));
    expect(changes).toBe(2);
  });

  it('cut a label at 64 characters', () => {
    const book = openIdentityBook(() => memoryStorage());
    book.add({ ...person('x', '1'), label: 'x'.repeat(100) });
    expect(book.selected?.label).toHaveLength(64);
  });

  const whole = {
    label: 'a',
    trapdoor: commitment('1'),
    nullifier: commitment('2'),
    commitment: commitment('3'),
  };
  it.each([
    ['not JSON', 'hello'],
    ['of another version', JSON.stringify({ version: 2, identities: [] })],
    ['without a secret', JSON.stringify({ version: 1, identities: [{ ...whole, trapdoor: undefined }] })],
    [
      'with a secret of another length',
      JSON.stringify({ version: 1, identities: [{ ...whole, nullifier: '0x12' }] }),
    ],
  ])('that are %s are reported and not overwritten', (_, text) => {
    const storage = memoryStorage(new Map([[STORAGE_KEY, text]]));
    const book = openIdentityBook(() => storage);
    expect(book.fault?.fault).toBe('storage');
    expect(() => book.add(person('new', '1'))).toThrow(expect.objectContaining({ fault: 'storage' }));
    expect(storage.entries.get(STORAGE_KEY)).toBe(text);
    book.clear();
    expect(book.fault).toBeUndefined();
    book.add(person('new', '1'));
    expect(book.selected?.label).toBe('new');
  });

  it('cannot be stored if the browser forbids it', () => {
    const book = openIdentityBook(() => {
      throw new Error('SecurityError');
    });
    expect(book.fault?.message).toContain('does not let the page store anything');
  });
});
