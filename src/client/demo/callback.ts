/** The second page of the demo: shows the answer of the sign-in step by step, with the checks that an app must make. */

import type { DemoCallbackConfig } from '../../pages.ts';
import { element, facts, statusLine } from '../dom.ts';
import { type PendingSignIn, takeSignIn } from './begin-sign-in.ts';
import { NoAnswer } from './calls.ts';
import { equal } from './check-tokens.ts';
import { misuseSection } from './misuse-section.ts';
import { type Answer, readAnswer, redeemAnswer, type SignedIn } from './redeem-answer.ts';
import { checksView, folded, placeNote, section } from './views.ts';

const SENTENCES: Readonly<Record<string, string>> = {
  access_denied: 'The person declined, or left the sign-in page. An app offers to try again.',
  unmet_authentication_requirements:
    'This app takes proofs of the orb tree alone, and the wallet had none. Enrol the identity in Orb, or ask for “orb or device”.',
  login_required: 'The app asked for a sign-in without a page, and here every sign-in asks the person.',
  invalid_request: 'The request of the app is malformed; the description says where.',
  invalid_scope: 'The app asked for scopes without openid, or with none at all.',
  unauthorized_client: 'The app is not registered for what it asked.',
  unsupported_response_type: 'The service does not give this response type.',
  server_error: 'The wallet or the service failed. Trying again may help.',
  temporarily_unavailable: 'The service has too much to do just now. Try again in a moment.',
};

const MAX_SHOWN_CHARACTERS = 200;
const PLACES: Readonly<Record<Answer['mode'], string>> = {
  query: 'behind ? in the address of this page (query)',
  fragment: 'behind # in the address of this page, which no server sees (fragment)',
  form_post: 'in a form that the browser posted to this page (form_post)',
};

async function showAnswer(main: HTMLElement, config: DemoCallbackConfig): Promise<void> {
  const answer = readAnswer(location, config.posted);
  // Code and tokens must not stay in the address bar and the history.
  history.replaceState(null, '', location.pathname);
  const title = element('h1', { tabindex: '-1' }, 'Back at the demo');
  const line = statusLine();
  const again = element(
    'p',
    {},
    element('a', { class: 'button', href: config.urls.demo }, 'Back to the start'),
  );
  const intro = element('div', { class: 'panel' }, title, line.node, again);
  main.replaceChildren(intro);
  const fail = (heading: string, words: string): void => {
    title.textContent = heading;
    line.say(words, 'bad');
  };

  const misplaced = placeNote(config, location, isSecureContext);
  if (misplaced !== undefined) intro.append(misplaced);
  if (misplaced !== undefined || answer === undefined) {
    fail(
      'No sign-in to show',
      'There is no answer here: it was read already, or the page was opened by hand.',
    );
    return;
  }
  main.append(answerSection(answer));
  const pending = takeSignIn(sessionStorage, answer.get('state') ?? '');
  if (pending === undefined) {
    fail(
      'Not signed in',
      'This tab began no sign-in with this state, or has read its answer already. An app must not use such an answer.',
    );
    return;
  }
  const origin = originChecks(answer, pending, config);
  main.append(section('Checks of the answer', checksView(origin)));
  if (origin.some(({ isOk }) => !isOk)) {
    fail('Not signed in', 'The answer is not from this service. An app must not use it.');
    return;
  }
  const error = answer.get('error');
  if (error !== undefined) {
    fail('Not signed in', explainError(error));
    return;
  }
  line.say('Checking the answer…', 'busy');
  const own = { ...config, clientId: pending.clientId };
  const result = await redeemAnswer(own, answer, pending).catch((error: unknown) => {
    if (error instanceof NoAnswer) return undefined;
    throw error;
  });
  if (result === undefined) {
    fail('Not signed in', 'The service does not answer. Is it still running?');
    return;
  }
  main.append(...result.sections);
  if ('reason' in result) {
    fail('Not signed in', result.reason);
    return;
  }
  title.textContent = 'Signed in';
  line.say('Every check holds. This app knows that a person signed in, and will know you again.', 'good');
  intro.after(personSection(result.person));
  const misuse = misuseSection(own, result.leftovers);
  if (misuse !== undefined) main.append(misuse);
}

function answerSection({ mode, parameters }: Answer): HTMLElement {
  return section(
    'What came back',
    element('p', {}, `The answer came ${PLACES[mode]}.`),
    facts(...parameters.map(([name, value]) => [name, valueView(value)] as const)),
  );
}

/** Renders a value; long ones are folded, since tokens are not readable and their contents are shown further down. */
function valueView(value: string): HTMLElement {
  if (value.length <= MAX_SHOWN_CHARACTERS) return element('code', {}, value);
  return folded(`${value.length} characters`, value);
}

/** Checks that the answer belongs to this tab's request and comes from the issuer of the request (RFC 9207). */
function originChecks(answer: Answer, { state }: PendingSignIn, { issuer }: DemoCallbackConfig) {
  return [equal('state', answer.get('state'), state), equal('iss', answer.get('iss'), issuer)];
}

function personSection({ claims, userInfo }: SignedIn['person']): HTMLElement {
  const rows: (readonly [string, string])[] = [
    ['Identifier', String(claims.sub)],
    ['Level', String(claims.acr)],
    ['Proved at', new Date(Number(claims.auth_time) * 1000).toLocaleString()],
  ];
  const known = { ...claims, ...userInfo };
  if (typeof known.email === 'string') rows.push(['Email', known.email]);
  if (typeof known.name === 'string') rows.push(['Name', known.name]);
  return section(
    'Who you are to this app',
    facts(...rows),
    element(
      'p',
      { class: 'hint' },
      'The identifier is the same each time you sign in here with this identity, and another app gets another one.',
    ),
  );
}

const main = document.querySelector<HTMLElement>('#demo');
if (main) void showAnswer(main, JSON.parse(main.dataset.config ?? '') as DemoCallbackConfig);

/** Explains an `error` of an authorization response to an app developer (spec/sign-in.md#further-codes). */
function explainError(error: string): string {
  return SENTENCES[error] ?? `The service answered with the error ${error}.`;
}
