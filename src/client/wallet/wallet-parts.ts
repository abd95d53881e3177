import type { WalletConfig } from '../../pages.ts';
import { CIRCUIT_NOTE_ID, type CircuitWatch } from '../circuit-watch.ts';
import type { WalletApi } from './calls/wallet-api.ts';
import type { IdentityBook } from './identity/identity-book.ts';
import type { InstallationBook } from './installation/installation-book.ts';
import type { Prover } from './prover/prover.ts';

/** Parts that the sections of the page share. */
export interface WalletParts {
  readonly config: WalletConfig;
  readonly book: IdentityBook;
  readonly installations: InstallationBook;
  readonly api: WalletApi;
  readonly prover: Prover;
  readonly circuit: CircuitWatch;
}

/** Refers a button to the note about the circuit while it waits for it. */
export function describeCircuitNeed(control: HTMLButtonElement, isWaiting: boolean): void {
  if (isWaiting) control.setAttribute('aria-describedby', CIRCUIT_NOTE_ID);
  else control.removeAttribute('aria-describedby');
}
