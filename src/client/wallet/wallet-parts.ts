import type { WalletConfig } from '../../pages.ts';
import { CIRCUIT_NOTE_ID, type CircuitWatch } from '../circuit-watch.ts';
import type { WalletApi } from './calls/wallet-api.ts';
import type { IdentityBook } from './identity/identity-book.ts';
import type { Prover } from './prover/prover.ts';

/** What the sections of the page share. */
export interface WalletParts {
  readonly config: WalletConfig;
  readonly book: IdentityBook;
  readonly api: WalletApi;
  readonly prover: Prover;
  readonly circuit: CircuitWatch;
}

/**
 * Keeps a button disabled, and pointing to the note that says why, until the circuit is ready.
 *
 * @param onReady - Decides then whether the button can be used; without it, it can.
 */
export function needCircuit(
  control: HTMLButtonElement,
  { circuit }: Pick<WalletParts, 'circuit'>,
  onReady: () => void = () => {
    control.disabled = false;
  },
): void {
  if (circuit.isReady) return;
  control.disabled = true;
  control.setAttribute('aria-describedby', CIRCUIT_NOTE_ID);
  circuit.whenReady(() => {
    control.removeAttribute('aria-describedby');
    onReady();
  });
}
