import type { WalletConfig } from '../../pages.ts';
import { CIRCUIT_NOTE_ID, type CircuitWatch } from '../circuit-watch.ts';
import type { WalletApi } from './calls/wallet-api.ts';
import type { IdentityBook } from './identity/identity-book.ts';
import type { Prover } from './prover/prover.ts';

/** Parts that the sections of the page share. */
export interface WalletParts {
  readonly config: WalletConfig;
  readonly book: IdentityBook;
  readonly api: WalletApi;
  readonly prover: Prover;
  readonly circuit: CircuitWatch;
}

/**
 * Keeps a button disabled, with the note about the circuit as its description, until the circuit is ready.
 *
 * @param onReady - Called then to set the state of the button; by default it is enabled.
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
