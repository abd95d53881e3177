import { element, field, radio } from '../dom.ts';
import type { ProofMaker } from './proof-maker.ts';
import type { WalletParts } from './wallet-parts.ts';

const HINT =
  'The service makes this proof, of a made-up person and under a key whose secrets are public (trapdoor-15). It needs neither an identity nor the circuit.';

/**
 * Creates the maker of World ID 4.0 proofs, which the service makes.
 *
 * @param onChange - Called when `needsAction` has changed.
 */
export function worldId4Maker({ api }: Pick<WalletParts, 'api'>, onChange: () => void): ProofMaker {
  const ofAction = radio('purpose', 'action', 'Uniqueness', 'One person counts once for the action.');
  const ofSession = radio('purpose', 'session', 'Session', 'The same person as before, without an action.');
  const [action, session] = [ofAction, ofSession].map((label) => label.querySelector('input'));
  action?.toggleAttribute('checked', true);
  const sessionId = element('input', {
    ...{ autocomplete: 'off', spellcheck: 'false' },
    ...{ pattern: 'session_[0-9a-fA-F]{128}', title: 'session_ and 128 hex digits' },
  });
  const hint = 'Empty for a new session, whose id is then filled in for the next proof.';
  const sessionField = field('Session id', sessionId, hint);
  const purpose = element('fieldset', {}, element('legend', {}, 'Kind of proof'), ofAction, ofSession);
  const show = (): void => {
    sessionField.hidden = session?.checked !== true;
    // A hidden control that is invalid would keep the form from being sent without saying why.
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
