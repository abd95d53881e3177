/**
 * The demo (spec/sign-in.md#demo): an app with sign-in, like any other. This file is its first page: the options of the
 * request, and the sign-in button.
 */

import type { DemoPageConfig } from '../../pages.ts';
import { watchCircuit } from '../circuit-watch.ts';
import { button, element, field, radio } from '../dom.ts';
import {
  BINDING_CHOICES,
  beginSignIn,
  type Choice,
  type Choices,
  LEVELS,
  RESPONSE_MODES,
  RESPONSE_TYPES,
  rememberSignIn,
  SCOPES,
} from './begin-sign-in.ts';
import { placeNote } from './views.ts';

const STEPS = [
  'This page sends you to the sign-in page.',
  'There, “Open your wallet” opens the development wallet in a tab of its own.',
  'In the wallet you create an identity, enrol it and approve. The proof that it is enrolled takes some seconds.',
  'You are back here, signed in, and see all that was said on the way.',
];

function startDemo(main: HTMLElement, config: DemoPageConfig): void {
  const intro = element(
    'div',
    { class: 'panel' },
    element('h1', {}, 'Demo relying party'),
    element(
      'p',
      { class: 'intro' },
      'An app that lets people sign in with a proof that they are a person, and learns nothing else about them.',
    ),
  );
  main.replaceChildren(intro);
  const misplaced = placeNote(config, location, isSecureContext);
  if (misplaced !== undefined) {
    intro.append(misplaced);
    return;
  }
  intro.append(
    watchCircuit(
      config.circuit,
      config.circuitUrl,
      'The wallet cannot make a proof until then; you can sign in here and go on in the wallet once it is ready.',
    ).node,
  );
  const options = optionsForm(config);
  main.append(signInSection(config, options.read), options.node, actionSection(config));
}

function signInSection(config: DemoPageConfig, choices: () => Choices): HTMLElement {
  const start = async (): Promise<void> => {
    const { pending, url } = await beginSignIn(config, choices());
    rememberSignIn(sessionStorage, pending);
    location.assign(url);
  };
  return element(
    'section',
    { 'aria-labelledby': 'begin' },
    element('h2', { id: 'begin' }, 'What happens'),
    element('ol', { class: 'steps' }, ...STEPS.map((step) => element('li', {}, step))),
    element('div', { class: 'buttons' }, button('Sign in', start, { class: 'primary' })),
  );
}

/** Creates the section that links to the wallet page for proofs of actions. */
function actionSection({ walletUrl, hasWorldId4 }: DemoPageConfig): HTMLElement {
  return element(
    'section',
    { 'aria-labelledby': 'actions' },
    element('h2', { id: 'actions' }, 'Proofs of actions'),
    element(
      'p',
      {},
      'Where each person may do something once, such as vote, an app sends a proof of the action to ',
      element('code', {}, 'POST /api/v4/verify/{rp_id}'),
      ` instead. The wallet makes such proofs, of World ID ${hasWorldId4 ? '3.0 and 4.0' : '3.0'}, sends them and shows request and answer.`,
    ),
    element(
      'div',
      { class: 'buttons' },
      element('a', { class: 'button', href: walletUrl }, 'Open the development wallet'),
    ),
  );
}

function optionsForm({ clientId, bindings }: DemoPageConfig): {
  readonly node: HTMLElement;
  read(): Choices;
} {
  const mode = select(RESPONSE_MODES);
  const scope = select(SCOPES);
  const level = select(LEVELS);
  const binding = select(BINDING_CHOICES.filter(({ value }) => value in bindings));
  const types = element(
    'fieldset',
    {},
    element('legend', {}, 'Response type'),
    ...RESPONSE_TYPES.map(({ value, label, detail }) => radio('response-type', value, label, detail)),
  );
  const inputs = [...types.querySelectorAll('input')];
  const [usual] = inputs;
  if (usual) usual.checked = true;
  const node = element(
    'section',
    { class: 'folded' },
    element(
      'details',
      {},
      element('summary', {}, 'Ask for something else'),
      element(
        'div',
        { class: 'options' },
        types,
        field('Response mode', mode, 'How the answer comes back to this page.'),
        field('Scopes', scope, 'What this page asks to know.'),
        field('Level', level, 'Which proofs this page takes (acr_values).'),
        ...(binding.options.length === 0
          ? []
          : [field('World ID 4.0', binding, 'How this page ties people to their sessions.')]),
      ),
    ),
  );
  return {
    node,
    read: () => ({
      responseType: inputs.find(({ checked }) => checked)?.value ?? '',
      responseMode: mode.value,
      scope: scope.value,
      acrValues: level.value,
      clientId: bindings[binding.value] ?? clientId,
    }),
  };
}

function select(choices: readonly Choice[]): HTMLSelectElement {
  return element('select', {}, ...choices.map(({ value, label }) => element('option', { value }, label)));
}

const main = document.querySelector<HTMLElement>('#demo');
if (main) startDemo(main, JSON.parse(main.dataset.config ?? '') as DemoPageConfig);
