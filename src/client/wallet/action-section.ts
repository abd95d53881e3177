import { DEVELOPMENT_TREES, type DevelopmentTree, TREE_NAMES } from '../../pages.ts';
import { hashSignal, toHex } from '../../semaphore/index.ts';
import { element, field, radio, whileBusy } from '../dom.ts';
import { statusLine } from '../status-line.ts';
import { verify } from './calls/verify-client.ts';
import { messageFor } from './calls/wallet-error.ts';
import type { StoredIdentity } from './identity/identities.ts';
import { progressView } from './progress-view.ts';
import { proveFor } from './prover/prove-for.ts';
import { OUTCOMES, verdictView } from './verdict-view.ts';
import { needCircuit, type WalletParts } from './wallet-parts.ts';

const OTHER_APP = '';

/**
 * Creates the section "Prove an action": takes app and action, proves, has the proof verified and shows the
 * answer.
 */
export function actionSection(parts: WalletParts): HTMLElement {
  const { config, book } = parts;
  const apps = element('select', { name: 'app' }, element('option', { value: OTHER_APP }, 'Another app…'));
  const appId = element('code', {});
  const otherApp = element('input', { autocomplete: 'off', spellcheck: 'false', maxlength: '128' });
  const otherField = field('App id', otherApp, 'Begins with app_');
  const action = element('input', { required: true, autocomplete: 'off', maxlength: '1000' });
  const signal = element('input', { autocomplete: 'off', maxlength: '1000' });
  const trees = DEVELOPMENT_TREES.map((tree) => radio('tree', tree, TREE_NAMES[tree]));
  trees[0]?.querySelector('input')?.toggleAttribute('checked', true);
  const who = element('p', { class: 'hint' });
  const submit = element('button', { type: 'submit', class: 'primary' }, 'Prove and verify');
  needCircuit(submit, parts);
  const status = statusLine();
  const progress = progressView();
  const result = element('div', { class: 'panel' });
  const form = element(
    'form',
    { autocomplete: 'off' },
    field('App', apps),
    appId,
    otherField,
    field('Action', action, 'What the person does once, such as “vote-2026”.'),
    field('Signal (optional)', signal, 'A text that the proof is bound to.'),
    element('fieldset', {}, element('legend', {}, 'Tree'), ...trees),
    who,
    element('div', { class: 'buttons' }, submit),
  );

  const showApp = (): void => {
    otherField.hidden = apps.value !== OTHER_APP;
    otherApp.required = apps.value === OTHER_APP;
    appId.textContent = apps.value;
    appId.hidden = apps.value === OTHER_APP;
  };
  const showWho = (): void => {
    who.textContent = book.selected
      ? `Proves as “${book.selected.label}”.`
      : 'There is no identity to prove as. Create one first.';
  };
  const run = async (identity: StoredIdentity): Promise<void> => {
    const chosenApp = apps.value || otherApp.value.trim();
    const tree = new FormData(form).get('tree') as DevelopmentTree;
    const hash = hashSignal(signal.value);
    const statement = { appId: chosenApp, action: action.value, signalHash: hash };
    progress.show({ share: 0, text: 'Looking up the place in the tree' });
    const proved = await proveFor(parts, identity, [tree], statement, progress.show);
    if (!proved) {
      status.say(
        `“${identity.label}” is not enrolled in ${TREE_NAMES[tree]}. Enrol it above, then prove.`,
        'bad',
      );
      return;
    }
    progress.show({ share: 1, text: 'Waiting for the verdict' });
    const signalHash = signal.value === '' ? undefined : toHex(hash);
    const job = { appId: chosenApp, action: action.value, tree, proof: proved.proof, signalHash };
    const verdict = await verify(config.verifyUrl, job);
    result.replaceChildren(verdictView(verdict, { label: identity.label, action: job.action, tree }));
    status.say(OUTCOMES[verdict.outcome], verdict.outcome === 'refused' ? 'bad' : 'good');
  };

  apps.addEventListener('change', showApp);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void whileBusy(submit, async () => {
      status.clear();
      result.replaceChildren();
      try {
        if (book.selected) await run(book.selected);
        else status.say('There is no identity to prove as. Create one first.', 'bad');
      } catch (error) {
        status.say(messageFor(error), 'bad');
      } finally {
        progress.hide();
      }
    });
  });
  book.subscribe(showWho);
  showWho();
  showApp();
  void offerApps(parts, apps)
    .then(showApp)
    .catch((error: unknown) => status.say(messageFor(error), 'bad'));

  const heading = element('h2', { id: 'prove' }, 'Prove an action');
  return element(
    'section',
    { 'aria-labelledby': heading.id },
    heading,
    element('p', {}, 'Make a proof for an app and have it verified, as an app would.'),
    form,
    progress.node,
    status.node,
    result,
  );
}

async function offerApps({ api }: WalletParts, select: HTMLSelectElement): Promise<void> {
  const options = (await api.listApps()).map(({ appId, name }) =>
    element('option', { value: appId }, name === '' ? appId : name),
  );
  select.prepend(...options);
  select.selectedIndex = 0;
}
