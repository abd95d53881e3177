import type { JsonObject } from '../../json.ts';
import type { ProofProgress } from './prover/prover-protocol.ts';
import type { Fact } from './verdict-view.ts';

/** Statement that the form asks for, in either protocol version. */
export interface FormStatement {
  readonly appId: string;
  readonly action: string;
  /** Empty for none. */
  readonly signal: string;
}

/** A request for the verification interface, and who proved what in it. */
export interface MadeRequest {
  readonly request: JsonObject;
  readonly subject: readonly Fact[];
}

/** One protocol version: its controls in the form, and how it makes a proof. */
export interface ProofMaker {
  readonly node: HTMLElement;
  /** Whether the statement is about the action of the form. */
  readonly needsAction: boolean;
  /** Whether proofs are made in the browser, with the development circuit. */
  readonly needsCircuit: boolean;
  /** Makes the request. @throws WalletError */
  make(statement: FormStatement, report: (progress: ProofProgress) => void): Promise<MadeRequest>;
}
