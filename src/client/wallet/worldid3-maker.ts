import { DEVELOPMENT_TREES, type DevelopmentTree, TREE_NAMES } from '../../pages.ts';
import { hashSignal, toHex } from '../../semaphore/index.ts';
import { element, radio } from '../dom.ts';
import { membershipRequest } from './calls/verify-client.ts';
import { WalletError } from './calls/wallet-error.ts';
import type { ProofMaker } from './proof-maker.ts';
import { proveFor } from './prover/prove-for.ts';
import type { WalletParts } from './wallet-parts.ts';

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
