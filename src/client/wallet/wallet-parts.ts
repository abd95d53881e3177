import type { WalletConfig } from './config.ts';
import type { IdentityBook } from './identity-book.ts';
import type { Prover } from './prover.ts';
import type { WalletApi } from './wallet-api.ts';

/** What the sections of the page share. */
export interface WalletParts {
  readonly config: WalletConfig;
  readonly book: IdentityBook;
  readonly api: WalletApi;
  readonly prover: Prover;
}

/** Id of the note that says how to build the circuit; what cannot be used without it points there. */
export const CIRCUIT_NOTE_ID = 'circuit-note';

/** Attributes of a button that needs the circuit. */
export function needsCircuit({ isCircuitBuilt }: WalletConfig): Readonly<Record<string, string | boolean>> {
  return isCircuitBuilt ? {} : { disabled: true, 'aria-describedby': CIRCUIT_NOTE_ID };
}
