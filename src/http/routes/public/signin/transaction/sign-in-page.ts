import type { Config } from '../../../../../config/settings/types.ts';
import type { SignInView, Way } from '../../../../../oidc/transaction/types.ts';
import {
  MOODS,
  type PasskeyConfig,
  type ShownState,
  type SignInConfig,
  sentenceOf,
} from '../../../../../pages.ts';
import type { Choice } from '../../../../../storage/signin/transactions.ts';
import { escapeHtml, formatTimeLeft } from '../../../../../text.ts';
import { folded } from '../../../../pages/render-page.ts';
import { renderSitePage, type Site } from '../../../../pages/site.ts';
import type { PageTexts } from '../../../../pages/texts/page-texts.ts';
import { passkeyButton } from './passkey-button.ts';
import type { QrCodes } from './qr-code.ts';

/** A sign-in in a state with a page; `cancelled` has none. */
export type ShownSignIn = Omit<SignInView, 'state'> & { readonly state: ShownState };

type ChoiceSeconds = Readonly<Record<Exclude<Choice, 'known' | 'link'>, number>>;

/** Parts that the page needs in addition to the sign-in. */
export interface SignInPageParts {
  readonly site: Site;
  readonly texts: PageTexts;
  readonly wallet: Config['wallet'];
  /** Validity of the choices of the person that last, in seconds. */
  readonly choiceSeconds: ChoiceSeconds;
  readonly qrCodes: QrCodes;
  /** Path of the client's logo; undefined if it has none. */
  readonly logoUrl: string | undefined;
  /** As in `SignInConfig`. */
  readonly opensApp: boolean;
}

/** Interval at which a browser without scripts reloads the page while its state can change without interaction. */
const REFRESH_SECONDS = 3;
/** Longer interval while the page has controls to unfold and press. */
const REFRESH_WITH_CHOICES_SECONDS = 10;
const MAX_INITIALS = 2;
/** States in which the sign-in may still need the person. */
const UNFINISHED = 'waiting connected verifying failed refused expired';

/**
 * Renders the complete sign-in page (spec/sign-in.md#sign-in-page). It works without its script, which only
 * replaces reloading. Elements list in `data-show` the states in which they are visible; the script uses the
 * same lists.
 */
export async function signInPage(view: ShownSignIn, parts: SignInPageParts): Promise<string> {
  const { site, texts } = parts;
  const title = texts.text('signin.title', { client: view.clientName });
  const sentences = texts.group('state.', { client: view.clientName });
  // The page of a completed sign-in is shown where the person has to go on by a tap.
  const sentence = sentenceOf(view.state === 'completed' ? { ...view, code: 'stays' } : view, sentences);
  const refreshSeconds = view.choices.length > 0 ? REFRESH_WITH_CHOICES_SECONDS : REFRESH_SECONDS;
  const changesByItself = ['waiting', 'connected', 'verifying'].includes(view.state);
  return renderSitePage(site, texts, {
    // Screen readers read the title first, so a failure known at load time comes first in it.
    title: MOODS[view.state] === 'bad' ? `${sentence} – ${title}` : title,
    script: 'sign-in-page.js',
    ...(changesByItself ? { refreshWithoutScriptSeconds: refreshSeconds } : {}),
    main: await main(view, parts, sentences, sentence),
  });
}

async function main(
  view: ShownSignIn,
  parts: SignInPageParts,
  sentences: SignInConfig['sentences'],
  sentence: string,
): Promise<string> {
  const { site, texts } = parts;
  const path = `${site.basePath}/authorize/${view.txn}`;
  const config: SignInConfig = {
    statusUrl: `${path}/status`,
    continueUrl: `${path}/continue`,
    state: view.state,
    ...(view.worldId4 === undefined ? {} : { attempt: view.attempt }),
    expiresInSeconds: view.expiresInSeconds,
    opensApp: parts.opensApp,
    sentences,
    unreachable: texts.text('signin.unreachable'),
    busy: texts.text('signin.busy'),
  };
  const client = escapeHtml(view.clientName);
  const time = `<b id="time-left" role="timer">${formatTimeLeft(view.expiresInSeconds)}</b>`;
  return `<main id="sign-in" data-config="${escapeHtml(JSON.stringify(config))}">
${heading(view, parts)}
<div class="columns">
<section aria-labelledby="act">
<h2 id="act">${texts.html('signin.task')}</h2>
${stepPart(view, texts)}${statusLines(view, sentence)}
${await scanPart(view, parts)}
${seenIn(view, 'waiting connected', 'p', 'class="time"')}${texts.html('signin.timeLeft', { time })}</p>
${agreementPart(view, path, parts)}
${buttons(view, path, parts)}${waysPart(view, path, texts)}
</section>
<section aria-labelledby="shared">
<h2 id="shared">${texts.html('shared.title', { client })}</h2>
${sharedList(view, texts)}
</section>
</div>
${simulatorPart(view, texts)}
</main>`;
}

function agreementPart(view: ShownSignIn, path: string, { texts, choiceSeconds }: SignInPageParts): string {
  if (view.choices.length === 0) return '';
  const boxes = agreements(view, `${path}/agree`, texts, choiceSeconds);
  return `${seenIn(view, 'waiting connected verifying failed expired', 'div')}${boxes}</div>`;
}

/** Renders what the request of World ID 4.0 is: which of its steps, and whether it is for a person who was here before. */
function stepPart(view: ShownSignIn, texts: PageTexts): string {
  const { worldId4, isLinking } = view;
  // Not on the page of a sign-in that is complete.
  const seen = (id: string): string => seenIn(view, UNFINISHED, 'p', `id="${id}" role="status"`);
  const link = isLinking
    ? `${seen('link')}${texts.html(worldId4 ? 'signin.link4' : 'signin.link3')}</p>\n`
    : '';
  if (worldId4 === undefined) return link;
  const { step, steps, foundBy } = worldId4;
  const numbers = { step: String(step), steps: String(steps) };
  const task = texts.html(step === 1 ? 'signin.stepSession' : 'signin.stepPair');
  const count = `${seen('step')}<b>${texts.html('signin.step', numbers)}</b> ${task}</p>\n`;
  const text = foundBy === 'passkey' ? texts.html('signin.knownByPasskey') : texts.html('signin.known');
  const known =
    foundBy === undefined ? '' : `${seenIn(view, UNFINISHED, 'p', 'id="known" class="hint"')}${text}</p>\n`;
  return link + (steps === 1 ? '' : count) + known;
}

/** Renders the forms by which the person asks for something else than the page shows. */
function waysPart(view: ShownSignIn, path: string, texts: PageTexts): string {
  if (view.attemptsLeft <= 0) return '';
  const textOf: Readonly<Record<Way, string>> = {
    other: texts.html('signin.wayOther'),
    '3.0': texts.html('signin.way3'),
    '4.0': texts.html('signin.way4'),
  };
  const forms = view.ways.map(
    (way) =>
      `<form method="post" action="${path}/other"><button class="link" name="way" value="${way}">${textOf[way]}</button></form>`,
  );
  if (view.worldId4?.foundBy === 'browser') {
    const forget = `<p>${texts.html('signin.forgetBrowserNote')}</p>\n<button class="danger">${texts.html('signin.forgetBrowser')}</button>`;
    forms.push(
      `<form method="post" action="${path}/forget">${folded(texts.html('signin.forgetBrowser'), forget)}</form>`,
    );
  }
  const ways =
    forms.length === 0
      ? ''
      : `\n${seenIn(view, 'waiting connected failed expired', 'div', 'class="ways"')}${forms.join('\n')}</div>`;
  return `${passkeyPart(view, path, texts)}${ways}`;
}

/** Renders the button by which a passkey finds the person. */
function passkeyPart(view: ShownSignIn, path: string, texts: PageTexts): string {
  if (view.passkey === undefined) return '';
  const config: PasskeyConfig = {
    ...view.passkey,
    url: `${path}/passkey`,
    failed: texts.text('passkey.refused'),
    stopped: texts.text('passkey.stopped'),
    unanswered: texts.text('passkey.unanswered'),
    busy: texts.text('signin.busy'),
  };
  const client = escapeHtml(view.clientName);
  const button = passkeyButton(config, texts.html('passkey.use'), texts.html('passkey.useNote', { client }));
  return `\n${seenIn(view, 'waiting failed expired', 'div')}${button}</div>`;
}

/** Renders the sentence of the state; a failure is an alert, which screen readers announce immediately. */
function statusLines({ state }: ShownSignIn, sentence: string): string {
  const mood = MOODS[state];
  const isAlert = mood === 'bad';
  return `<p id="status" class="status" role="status" aria-live="polite" tabindex="-1" data-mood="${mood}">${isAlert ? '' : escapeHtml(sentence)}</p>
<p id="alert" class="status" role="alert" tabindex="-1" data-mood="bad">${isAlert ? escapeHtml(sentence) : ''}</p>`;
}

function heading(view: ShownSignIn, { texts, logoUrl }: SignInPageParts): string {
  const picture =
    logoUrl === undefined
      ? `<span class="logo initials" aria-hidden="true">${escapeHtml(initialsOf(view.clientName))}</span>`
      : `<img class="logo" src="${escapeHtml(logoUrl)}" alt="" width="64" height="64">`;
  const badge = view.isStaging ? `\n<p><span class="badge">${texts.html('signin.staging')}</span></p>` : '';
  const host = `<b>${escapeHtml(view.redirectHost)}</b>`;
  return `<header class="app">
${picture}
<div>
<h1>${texts.html('signin.title', { client: escapeHtml(view.clientName) })}</h1>
<p class="host">${texts.html('signin.returnsTo', { host })}</p>${badge}
</div>
</header>`;
}

async function scanPart(view: ShownSignIn, parts: SignInPageParts): Promise<string> {
  const { connectUrl, tappedUrl, state } = view;
  const { texts, qrCodes } = parts;
  if (connectUrl === undefined || tappedUrl === undefined || state !== 'waiting') return '';
  const { first, again } = await qrCodes(connectUrl);
  const picture = (svg: string): string =>
    `<div class="qr-picture" role="img" aria-label="${texts.html('signin.qrLabel')}">${svg}</div>`;
  return `${seenIn(view, 'waiting', 'div', 'class="scan"')}
<a id="wallet-link" class="button primary" href="${escapeHtml(tappedUrl)}" target="_blank" rel="noopener noreferrer">${texts.html('signin.openWallet')}</a>
<div class="qr">
<p>${texts.html('signin.scan')}</p>
${picture(first)}
</div>
<details class="qr-folded">
<summary>${texts.html('signin.scanElsewhere')}</summary>
${picture(again)}
</details>
${walletPart(parts)}
</div>`;
}

/** Renders the name of the required wallet, with a link to get it. */
function walletPart({ texts, wallet }: SignInPageParts): string {
  const name = wallet.name === undefined ? undefined : { wallet: escapeHtml(wallet.name) };
  const needed = name ? texts.html('signin.walletNeeded', name) : texts.html('signin.anyWalletNeeded');
  const get = name ? texts.html('signin.getWallet', name) : texts.html('signin.getAnyWallet');
  const link =
    wallet.downloadUrl === undefined
      ? ''
      : `\n<p><a id="wallet-download" class="link" href="${escapeHtml(wallet.downloadUrl)}" target="_blank" rel="noopener noreferrer">${get}</a></p>`;
  return `<div class="wallet">
<p class="hint">${needed}</p>${link}
</div>`;
}

function buttons(view: ShownSignIn, path: string, { texts, opensApp }: SignInPageParts): string {
  const hasAttempts = view.attemptsLeft > 0;
  const form = (states: string, act: 'retry' | 'cancel', button: string): string =>
    `${seenIn(view, states, 'form', `method="post" action="${path}/${act}"`)}${button}</form>`;
  const retry = form(
    'failed expired',
    'retry',
    `<button class="primary">${texts.html('signin.retry')}</button>`,
  );
  // A wallet can fetch the request only once: if it is closed after that, it cannot continue.
  const startOver = form('connected', 'retry', `<button>${texts.html('signin.newCode')}</button>`);
  const last = `${seenIn(view, 'failed expired', 'p')}${texts.html('signin.lastAttempt')}</p>`;
  const goOn = (state: 'completed' | 'refused', text: string): string =>
    `${seenIn(view, state, 'p')}<a class="button primary" href="${path}/continue">${text}</a></p>`;
  const opens = opensApp
    ? `\n${seenIn(view, 'completed refused', 'p', 'class="hint"')}${texts.html('signin.opensApp')}</p>`
    : '';
  return `${hasAttempts ? '' : last}
<div class="buttons">
${hasAttempts ? retry : ''}
${form('waiting connected failed expired', 'cancel', `<button>${texts.html(view.isLinking ? 'signin.linkSkip' : 'signin.cancel')}</button>`)}
${hasAttempts ? startOver : ''}
${goOn('completed', texts.html('signin.continue'))}
${goOn('refused', texts.html('signin.back', { client: escapeHtml(view.clientName) }))}
</div>${opens}`;
}

/** Renders the link in the form that simulators of World App accept; in development only. */
function simulatorPart(view: ShownSignIn, texts: PageTexts): string {
  if (view.worldAppUrl === undefined) return '';
  return `${seenIn(view, 'waiting', 'details', 'class="simulator"')}
<summary>${texts.html('simulator.title')}</summary>
<div class="field">
<label for="simulator-link">${texts.html('simulator.address')}</label>
<input id="simulator-link" readonly value="${escapeHtml(view.worldAppUrl)}">
</div>
<p><button id="copy-simulator-link" type="button" data-copied="${texts.html('simulator.copied')}" data-by-hand="${texts.html('simulator.copyByHand')}" hidden>${texts.html('simulator.copy')}</button> <span id="copy-said" role="status"></span></p>
</details>`;
}

/** Renders the opening tag of an element that is visible in some states only. */
function seenIn({ state }: ShownSignIn, states: string, tag: string, attributes = ''): string {
  const hidden = states.split(' ').includes(state) ? '' : ' hidden';
  return `<${tag}${attributes === '' ? '' : ` ${attributes}`} data-show="${states}"${hidden}>`;
}

/** Returns the initials of the first words, by grapheme: a letter may consist of several code points. */
function initialsOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}\p{M}]+/u).filter((word) => word !== '');
  const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });
  return words
    .slice(0, MAX_INITIALS)
    .map((word) => [...letters.segment(word)][0]?.segment.toUpperCase() ?? '')
    .join('');
}

/** State of the choices, for the page. */
interface AgreementsView {
  readonly clientName: string;
  readonly choices: readonly Choice[];
  readonly agreed: readonly Choice[];
}

/**
 * Renders the choices for the person (spec/sign-in.md#choices), none preselected. The script of the page shows
 * checkboxes, guards them and sends each change; without it there is a button for each, since the page reloads itself.
 * The buttons are folded away, so that a click that another page redirected here does not press one
 * (spec/sign-in.md#guarded-controls).
 *
 * @param action - Path to which the choices are posted.
 * @param seconds - Validity of each choice.
 */
function agreements(
  { clientName, choices, agreed }: AgreementsView,
  action: string,
  texts: PageTexts,
  seconds: ChoiceSeconds,
): string {
  const client = escapeHtml(clientName);
  const textOf: Readonly<Record<Choice, string>> = {
    stay: texts.html('choices.stay', { client }),
    offline: texts.html('choices.offline', { client }),
    known: texts.html('choices.known', { client }),
    link: texts.html('choices.link'),
  };
  const noteOf: Readonly<Record<Choice, string>> = {
    stay: texts.html('choices.stayNote', { time: texts.duration(seconds.stay) }),
    offline: texts.html('choices.offlineNote', { time: texts.duration(seconds.offline) }),
    known: texts.html('choices.knownNote'),
    link: texts.html('choices.linkNote', { client }),
  };
  const undoOf: Readonly<Record<Choice, string>> = {
    stay: texts.html('choices.undo'),
    offline: texts.html('choices.offlineUndo'),
    known: texts.html('choices.knownUndo'),
    link: texts.html('choices.linkUndo'),
  };
  const box = (choice: Choice): string =>
    `<label class="choice"><input type="checkbox" name="${choice}" value="on"${agreed.includes(choice) ? ' checked' : ''}>
<span>${textOf[choice]}<small>${noteOf[choice]}</small></span></label>`;
  const button = (choice: Choice): string => {
    const others = agreed.filter((other) => other !== choice);
    const kept = others.map((other) => `<input type="hidden" name="${other}" value="on">`).join('');
    if (agreed.includes(choice)) {
      return `<form method="post" action="${action}">${kept}<p>${textOf[choice]} ✓</p><button>${undoOf[choice]}</button></form>`;
    }
    const button = `<button name="${choice}" value="on">${textOf[choice]}</button>`;
    return `<form method="post" action="${action}">${kept}${folded(textOf[choice], button)}</form>`;
  };
  return `<form id="agree" class="choices" method="post" action="${action}" data-failed="${texts.html('choices.failed')}" hidden>
${choices.map(box).join('\n')}
<p id="agree-said" class="hint" role="status"></p>
</form>
<noscript>${choices.map(button).join('\n')}</noscript>`;
}

/** Properties of a sign-in that determine the data for the app. */
interface SharedFacts {
  readonly scopes: readonly string[];
  readonly requiresOrb: boolean;
  readonly worldId4: SignInView['worldId4'];
}

/** Renders the list of data that the app receives about the person (spec/sign-in.md#claims-about-the-person). */
function sharedList({ scopes, requiresOrb, worldId4 }: SharedFacts, texts: PageTexts): string {
  const level = requiresOrb
    ? item(texts.html('shared.orb'), texts.html('shared.orbNote'))
    : item(texts.html('shared.level'), texts.html('shared.levelNote'));
  const items = [
    item(texts.html('shared.identifier'), texts.html('shared.identifierNote')),
    level,
    ...(scopes.includes('email') ? [item(texts.html('shared.email'), texts.html('shared.emailNote'))] : []),
    ...(scopes.includes('profile') ? [item(texts.html('shared.name'), texts.html('shared.nameNote'))] : []),
    ...(worldId4 === undefined ? [] : [item(texts.html('shared.known'), texts.html('shared.knownNote'))]),
  ];
  return `<ul class="shared">
${items.join('\n')}
</ul>
<p class="hint">${texts.html('shared.nothingElse')}</p>`;
}

function item(nameHtml: string, explanationHtml: string): string {
  return `<li>${nameHtml}<small>${explanationHtml}</small></li>`;
}
