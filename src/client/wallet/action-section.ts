import { element, field, radio, statusLine, whileBusy } from '../dom.ts';
import { messageFor } from './calls/call.ts';
import { verify } from './calls/verify-client.ts';
import type { WalletApi } from './calls/wallet-api.ts';
import { type ProofMaker, worldId3Maker, worldId4Maker } from './proof-makers.ts';
import { OUTCOMES, progressView, verdictView } from './verdict-view.ts';
import { describeCircuitNeed, type WalletParts } from './wallet-parts.ts';

/** Setting that switches World ID 4.0 on. */
const SWITCH = 'PROOFGATE_VERIFY_WORLDID4_ENABLED=true';

/**
 * Creates the section "Prove an action": reads protocol version, app and action, makes a request with a proof, verifies
 * it and shows the answer.
 */
export function actionSection(parts: WalletParts): HTMLElement {
  const { config, api, circuit } = parts;
  const app = appChoice(api);
  const action = element('input', { required: true, autocomplete: 'off', maxlength: '1000' });
  const actionField = field('Action', action, 'What the person does once, such as “vote-2026”.');
  const signal = element('input', { autocomplete: 'off', maxlength: '1000' });
  const submit = element('button', { type: 'submit', class: 'primary' }, 'Prove and verify');
  const status = statusLine();
  const progress = progressView();
  const result = element('div', { class: 'panel' });
  const three = worldId3Maker(parts);
  const four = worldId4Maker(parts, () => show());
  const versions = protocolChoice(config.hasWorldId4, () => show());
  const chosen = (): ProofMaker => (versions.isFour() ? four : three);
  const show = (): void => {
    const { needsAction, needsCircuit } = chosen();
    three.node.hidden = versions.isFour();
    four.node.hidden = !versions.isFour();
    actionField.hidden = !needsAction;
    action.disabled = !needsAction;
    submit.disabled = needsCircuit && !circuit.isReady;
    describeCircuitNeed(submit, submit.disabled);
  };
  const form = element(
    'form',
    { autocomplete: 'off' },
    versions.node,
    ...app.nodes,
    four.node,
    actionField,
    field('Signal (optional)', signal, 'A text that the proof is bound to.'),
    three.node,
    element('div', { class: 'buttons' }, submit),
  );
  const run = async (): Promise<void> => {
    const { appId } = app;
    const statement = { appId, action: action.value, signal: signal.value };
    const { request, subject } = await chosen().make(statement, progress.show);
    progress.show({ share: 1, text: 'Waiting for the verdict' });
    const verdict = await verify(config.verifyUrl, appId, request);
    result.replaceChildren(verdictView(verdict, subject, request));
    status.say(OUTCOMES[verdict.outcome], verdict.outcome === 'refused' ? 'bad' : 'good');
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void whileBusy(submit, async () => {
      status.clear();
      result.replaceChildren();
      try {
        await run();
      } catch (error) {
        status.say(messageFor(error), 'bad');
      } finally {
        progress.hide();
      }
    });
  });
  show();
  circuit.whenReady(show);
  void app.load().catch((error: unknown) => status.say(messageFor(error), 'bad'));

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

/** Creates the choice of the protocol version, or, if there is only one, a line with instructions to enable both. */
function protocolChoice(
  hasWorldId4: boolean,
  onChange: () => void,
): { readonly node: HTMLElement; isFour(): boolean } {
  if (!hasWorldId4) {
    const how = element('code', {}, SWITCH);
    const node = element(
      'p',
      { class: 'hint' },
      'For World ID 4.0 proofs, start the service with ',
      how,
      '.',
    );
    return { node, isFour: () => false };
  }
  const versions = ['3.0', '4.0'].map((version) => radio('protocol', version, `World ID ${version}`));
  const [three, four] = versions.map((version) => version.querySelector('input'));
  three?.toggleAttribute('checked', true);
  const node = element('fieldset', {}, element('legend', {}, 'Protocol'), ...versions);
  node.addEventListener('change', onChange);
  return { node, isFour: () => four?.checked === true };
}

/** Controls to choose an app of the service or enter another id. */
export interface AppChoice {
  readonly nodes: readonly HTMLElement[];
  /** The id of the app. */
  readonly appId: string;
  /**
   * Offers the apps of the service, and chooses the first unless another id was entered. @throws WalletError `network`,
   * `answer`
   */
  load(): Promise<void>;
}

const OTHER_APP = '';

/** Creates the controls; until the apps are loaded, only an id can be entered. */
function appChoice(api: Pick<WalletApi, 'listApps'>): AppChoice {
  const apps = element('select', { name: 'app' }, element('option', { value: OTHER_APP }, 'Another app…'));
  const appId = element('code', {});
  const otherApp = element('input', { autocomplete: 'off', spellcheck: 'false', maxlength: '128' });
  const otherField = field('App id', otherApp, 'Begins with app_');
  let isChosen = false;
  const choose = (): void => {
    isChosen = true;
  };
  const show = (): void => {
    otherField.hidden = apps.value !== OTHER_APP;
    otherApp.required = apps.value === OTHER_APP;
    appId.textContent = apps.value;
    appId.hidden = apps.value === OTHER_APP;
  };
  apps.addEventListener('change', show);
  for (const control of [apps, otherApp]) control.addEventListener('input', choose);
  show();
  return {
    nodes: [field('App', apps), appId, otherField],
    get appId() {
      return apps.value || otherApp.value.trim();
    },
    async load() {
      const options = (await api.listApps()).map(({ appId: id, name }) =>
        element('option', { value: id }, name === '' ? id : name),
      );
      apps.prepend(...options);
      if (!isChosen) apps.selectedIndex = 0;
      show();
    },
  };
}
