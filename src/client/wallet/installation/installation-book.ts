import { isObject } from '../../../json.ts';
import { WALLET_KINDS, type WalletKind } from '../../../pages.ts';
import {
  type GuardVerdict,
  judgeNullifier,
  type MadeNullifiers,
  rememberNullifier,
} from '../../../semaphore/replay-guard.ts';
import { WalletError } from '../calls/call.ts';
import type { BookStorage } from '../identity/identity-book.ts';

/** An installation of the wallet: persons, who are the same in each, are in the identity book. */
export interface Installation {
  /** Name given by the person, 1 to 64 characters. */
  readonly name: string;
  readonly wallet: WalletKind;
  /** What its replay guard knows. */
  readonly made: MadeNullifiers;
}

/** The installations of the wallet in this browser, one of them in use. There is always one. */
export interface InstallationBook {
  readonly installations: readonly Installation[];
  readonly selected: Installation;
  /** Adds an installation that knows nothing, and selects it; one of this name is only selected. */
  add(name: string, wallet: WalletKind): void;
  select(name: string): void;
  /** Changes the kind of the selected installation. */
  setWallet(wallet: WalletKind): void;
  /** Makes the selected installation forget what it has made, as a new installation or a recovery does. */
  recover(): void;
  /** Returns the verdict of the selected installation on a nullifier, `nil_` and 64 hex digits. */
  judge(nullifier: string, now: number): GuardVerdict;
  /** Returns the same verdict, and records a nullifier that is not refused, before its proof is sent. */
  admit(nullifier: string, now: number): GuardVerdict;
  /** Reads the storage again, after another tab has written to it. */
  reload(): void;
  /** Calls back after every change. */
  subscribe(listener: () => void): void;
}

/** Name of the entry in the browser's storage. */
export const INSTALLATIONS_KEY = 'proofgate.wallet.installations';
/** Longest name in characters. */
export const NAME_CHARACTERS = 64;

interface Stored {
  readonly installations: readonly Installation[];
  readonly selected: string;
}

const FIRST: Installation = { name: 'This browser', wallet: 'new', made: {} };
const NEW: Stored = { installations: [FIRST], selected: FIRST.name };

/**
 * Opens the book. An entry that cannot be read counts as a new installation.
 *
 * @param openStorage - Returns the storage; throws if the browser forbids it.
 * @throws WalletError `storage` from every function that writes, if nothing can be stored
 */
export function openInstallationBook(openStorage: () => BookStorage): InstallationBook {
  const listeners: (() => void)[] = [];
  let stored = read(openStorage);
  const selectedOf = ({ installations, selected }: Stored): Installation =>
    installations.find(({ name }) => name === selected) ?? FIRST;
  const notify = (): void => {
    for (const listener of listeners) listener();
  };
  const write = (change: (from: Stored) => Stored): void => {
    // Another tab may have written since.
    const next = change(read(openStorage));
    try {
      openStorage().setItem(INSTALLATIONS_KEY, JSON.stringify({ version: 1, ...next }));
    } catch (cause) {
      throw new WalletError('storage', 'This browser does not let the page store anything.', { cause });
    }
    stored = next;
    notify();
  };
  const changeSelected = (change: Partial<Installation>): void =>
    write((from) => ({
      ...from,
      installations: from.installations.map((each) =>
        each.name === stored.selected ? { ...each, ...change } : each,
      ),
    }));
  return {
    get installations() {
      return stored.installations;
    },
    get selected() {
      return selectedOf(stored);
    },
    add(name, wallet) {
      write(({ installations }) => {
        const isKnown = installations.some((each) => each.name === name);
        const all = isKnown ? installations : [...installations, { name, wallet, made: {} }];
        return { installations: all, selected: name };
      });
    },
    select: (name) => write((from) => ({ ...from, selected: name })),
    setWallet: (wallet) => changeSelected({ wallet }),
    recover: () => changeSelected({ made: {} }),
    judge: (nullifier, now) => judgeNullifier(selectedOf(stored).made, nullifier, now),
    admit(nullifier, now) {
      stored = { ...read(openStorage), selected: stored.selected };
      const { made } = selectedOf(stored);
      const verdict = judgeNullifier(made, nullifier, now);
      if (verdict.state !== 'refused') changeSelected({ made: rememberNullifier(made, nullifier, now) });
      return verdict;
    },
    reload() {
      stored = read(openStorage);
      notify();
    },
    subscribe: (listener) => void listeners.push(listener),
  };
}

function read(openStorage: () => BookStorage): Stored {
  try {
    const value: unknown = JSON.parse(openStorage().getItem(INSTALLATIONS_KEY) ?? '');
    if (!isObject(value) || value.version !== 1 || !Array.isArray(value.installations)) return NEW;
    const installations = value.installations.filter(isInstallation);
    const selected = installations.find(({ name }) => name === value.selected) ?? installations[0];
    return selected === undefined ? NEW : { installations, selected: selected.name };
  } catch {
    return NEW;
  }
}

function isInstallation(value: unknown): value is Installation {
  if (!isObject(value)) return false;
  const { name, wallet, made } = value;
  const isKind = WALLET_KINDS.some((kind) => kind === wallet);
  return typeof name === 'string' && isKind && isObject(made) && Object.values(made).every(Number.isFinite);
}
