import { describe, expect, it } from 'vitest';
import {
  INSTALLATIONS_KEY,
  openInstallationBook,
} from '../../../src/client/wallet/installation/installation-book.ts';
import { memoryStorage } from '../../support/memory-storage.ts';

const NOW = Date.UTC(2026, 5, 1, 12);
const LATER = NOW + 600_001;
const [ONE, TWO] = [`nil_${'0a'.repeat(32)}`, `nil_${'0b'.repeat(32)}`] as const;

describe('the installations of a browser', () => {
  it('are a new wallet that has proved nothing at first', () => {
    const storage = memoryStorage();
    const book = openInstallationBook(() => storage);
    expect(book.installations).toEqual([{ name: 'This browser', wallet: 'new', made: {} }]);
    expect(book.selected).toBe(book.installations[0]);
    expect(book.judge(ONE, NOW)).toEqual({ state: 'new' });
  });

  it('remember what they admitted, also after a reload, and refuse it after ten minutes', () => {
    const storage = memoryStorage();
    const book = openInstallationBook(() => storage);
    expect(book.admit(ONE, NOW).state).toBe('new');
    expect(book.admit(ONE, NOW + 600_000).state).toBe('repeatable');
    const again = openInstallationBook(() => storage);
    expect(again.admit(ONE, LATER).state).toBe('refused');
    expect(again.selected.made).toEqual({ [ONE]: NOW });
    expect(again.judge(TWO, LATER).state).toBe('new');
  });

  it('know nothing of each other, or from before they were installed anew', () => {
    const storage = memoryStorage();
    const book = openInstallationBook(() => storage);
    book.admit(ONE, NOW);
    book.add('Tablet', 'old');
    expect(book.selected).toEqual({ name: 'Tablet', wallet: 'old', made: {} });
    expect(book.admit(ONE, LATER).state).toBe('new');
    book.select('This browser');
    expect(book.judge(ONE, LATER).state).toBe('refused');
    book.recover();
    expect(book.judge(ONE, LATER).state).toBe('new');
    book.add('Tablet', 'new');
    expect(book.selected).toMatchObject({ wallet: 'old', made: { [ONE]: LATER } });
  });

  it('are of the chosen kind', () => {
    const storage = memoryStorage();
    const book = openInstallationBook(() => storage);
    book.setWallet('old');
    expect(book.selected.wallet).toBe('old');
  });

  it('see what another tab admitted before they admit', () => {
    const storage = memoryStorage();
    const [one, other] = [openInstallationBook(() => storage), openInstallationBook(() => storage)];
    one.admit(ONE, NOW);
    expect(other.admit(ONE, LATER).state).toBe('refused');
    other.admit(TWO, LATER);
    one.reload();
    expect(one.selected.made).toEqual({ [ONE]: NOW, [TWO]: LATER });
  });

  it('call back after every change', () => {
    const storage = memoryStorage();
    const book = openInstallationBook(() => storage);
    let calls = 0;
    book.subscribe(() => {
      calls += 1;
    });
    book.admit(ONE, NOW);
    book.setWallet('old');
    book.reload();
    expect(calls).toBe(3);
  });

  it.each([
    ['text', 'x'],
    ['another version', '{"version":2,"installations":[]}'],
    ['no installation', '{"version":1,"installations":[]}'],
    ['a faulty one', '{"version":1,"installations":[{"name":"a","wallet":"new","made":{"b":"c"}}]}'],
  ])('are new if the storage has %s', (_, text) => {
    const book = openInstallationBook(() => memoryStorage(new Map([[INSTALLATIONS_KEY, text]])));
    expect(book.selected.name).toBe('This browser');
  });

  it('admit nothing if nothing can be stored', () => {
    const book = openInstallationBook(() => {
      throw new Error('forbidden');
    });
    expect(() => book.admit(ONE, NOW)).toThrow(expect.objectContaining({ fault: 'storage' }));
  });
});
