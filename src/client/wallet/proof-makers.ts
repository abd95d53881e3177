import type { JsonObject } from '../../json.ts';
import { DEVELOPMENT_TREES, type DevelopmentTree, TREE_NAMES } from '../../pages.ts';
import { hashSignal } from '../../semaphore/hashes.ts';
import { toHex } from '../../semaphore/hex.ts';
import { element, field, radio } from '../dom.ts';
import { WalletError } from './calls/call.ts';
import { membershipRequest } from './calls/verify-client.ts';
import { proveFor } from './prover/prove-for.ts';
import type { ProofProgress } from './prover/prover-protocol.ts';
import type { Fact } from './verdict-view.ts';
import type { WalletParts } from './wallet-parts.ts';

/** Statement of the form, in either protocol version. */
export interface FormStatement {
  readonly appId: string;
  readonly action: string;
  /** Empty for none. */
  readonly signal: string;
}

/** A request for the verification interface, with a description of prover and statement. */
export interface MadeRequest {
  readonly request: JsonObject;
  readonly subject: readonly Fact[];
}

/** One protocol version: its controls in the form, and its proof function. */
export interface ProofMaker {
  readonly node: HTMLElement;
  /** Whether the statement is about the action of the form. */
  readonly needsAction: boolean;
  /** Whether proofs are made in the browser, with the development circuit. */
  readonly needsCircuit: boolean;
  /** Makes the request. @throws WalletError */
  make(statement: FormStatement, report: (progress: ProofProgress) => void): Promise<MadeRequest>;
}

const NO_IDENTITY = 'There is no identity to prove as. Create one first.';

/** Creates the maker of World ID 3.0 proofs: in this browser, of the identity in use, in the chosen tree. */
export function worldId3Maker(parts: WalletParts): ProofMaker {
  const { book } = parts;
  const trees = DEVELOPMENT_TREES.map((tree) => radio('tree', tree, TREE_NAMES[tree]));
  const inputs = trees.flatMap((tree) => [...tree.querySelectorAll('input')]);
  inputs[0]?.toggleAttribute('checked', true);
  const who = element('p', { class: 'hint' });
  const showWho = (): void => {
    who.textContent = book.selected ? `Proves as “${book.selected.label}”.` : NO_IDENTITY;
  };
  book.subscribe(showWho);
  showWho();
  const choice = element('fieldset', {}, element('legend', {}, 'Tree'), ...trees);
  return {
    node: element('div', { class: 'panel' }, choice, who),
    needsAction: true,
    needsCircuit: true,
    async make({ appId, action, signal }, report) {
      const identity = book.selected;
      if (identity === undefined) throw new WalletError('identity', NO_IDENTITY);
      const tree = inputs.find(({ checked }) => checked)?.value as DevelopmentTree;
      const signalHash = hashSignal(signal);
      report({ share: 0, text: 'Looking up the place in the tree' });
      const proved = await proveFor(parts, identity, [tree], { appId, action, signalHash }, report);
      if (!proved) {
        const where = `“${identity.label}” is not enrolled in ${TREE_NAMES[tree]}.`;
        throw new WalletError('identity', `${where} Enrol it above, then prove.`);
      }
      const hash = signal === '' ? undefined : toHex(signalHash);
      return {
        request: membershipRequest({ action, tree, proof: proved.proof, signalHash: hash }),
        subject: [
          ['Identity', identity.label],
          ['Action', action],
          ['Tree', TREE_NAMES[tree]],
        ],
      };
    },
  };
}

const HINT =
  'The service makes this proof, of a made-up person and under a key whose secrets are public (trapdoor-15). It needs neither an identity nor the circuit.';

/**
 * Creates the maker of World ID 4.0 proofs; the service makes the proofs.
 *
 * @param onChange - Called when `needsAction` has changed.
 */
export function worldId4Maker({ api }: Pick<WalletParts, 'api'>, onChange: () => void): ProofMaker {
  const ofAction = radio('purpose', 'action', 'Uniqueness', 'One person counts once for the action.');
  const ofSession = radio('purpose', 'session', 'Session', 'The same person as before, without an action.');
  const [action, session] = [ofAction, ofSession].map((label) => label.querySelector('input'));
  action?.toggleAttribute('checked', true);
  const sessionId = element('input', {
    autocomplete: 'off',
    spellcheck: 'false',
    pattern: 'session_[0-9a-fA-F]{128}',
    title: 'session_ and 128 hex digits',
  });
  const hint = 'Empty for a new session, whose id is then filled in for the next proof.';
  const sessionField = field('Session id', sessionId, hint);
  const purpose = element('fieldset', {}, element('legend', {}, 'Kind of proof'), ofAction, ofSession);
  const show = (): void => {
    sessionField.hidden = session?.checked !== true;
    // A hidden invalid control would block the form without a message.
    sessionId.disabled = sessionField.hidden;
    onChange();
  };
  purpose.addEventListener('change', show);
  sessionField.hidden = true;
  sessionId.disabled = true;
  return {
    node: element('div', { class: 'panel' }, purpose, sessionField, element('p', { class: 'hint' }, HINT)),
    get needsAction() {
      return session?.checked !== true;
    },
    needsCircuit: false,
    async make({ appId, action: text, signal }, report) {
      report({ share: 0, text: 'The service makes the proof' });
      const isSession = session?.checked === true;
      const purposeOfProof = isSession ? { sessionId: sessionId.value.trim() } : { action: text };
      const request = await api.proveWorldId4({ appId, purpose: purposeOfProof, signal });
      const id = String(request.session_id ?? '');
      if (isSession) sessionId.value = id;
      return {
        request,
        subject: [
          ['Protocol', 'World ID 4.0'],
          isSession ? ['Session', element('code', {}, id)] : ['Action', text],
        ],
      };
    },
  };
}
