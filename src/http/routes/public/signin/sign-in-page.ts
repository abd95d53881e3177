import type { SignInConfig } from '../../../../client/signin/config.ts';
import type { SignInView } from '../../../../oidc/transaction/index.ts';
import { type Assets, escapeHtml, renderPage } from '../../../pages/index.ts';
import { qrCode } from './qr-code.ts';
import type { SignInAsset } from './sign-in-assets.ts';
import { sentenceOf, transactionSentences, UNREACHABLE_SENTENCE } from './transaction-sentences.ts';
import { sharedList } from './transaction-shared.ts';

/** A sign-in as the page shows it: one that is `cancelled` goes on without a page. */
export type ShownSignIn = Omit<SignInView, 'state'> & { readonly state: SignInConfig['state'] };

/** What the page has beside the sign-in itself. */
export interface SignInPageParts {
  readonly assets: Assets<SignInAsset>;
  /** Path of the service. */
  readonly basePath: string;
  /** Path of the client's picture; undefined where it has none. */
  readonly logoUrl: string | undefined;
  /** Whether the service is not meant for the public, so that the page says so. */
  readonly isDevelopment: boolean;
}

/** Without a script the page is loaded again after so many seconds, while something can still change by itself. */
const REFRESH_SECONDS = 3;
const MAX_INITIALS = 2;
const MOODS: Readonly<Record<ShownSignIn['state'], 'busy' | 'good' | 'bad'>> = {
  waiting: 'busy',
  connected: 'busy',
  verifying: 'busy',
  completed: 'good',
  failed: 'bad',
  refused: 'bad',
  expired: 'bad',
};

/**
 * The sign-in page (signin.md section 9), whole: it needs no script, which only saves the reloading. Parts carry in
 * `data-show` the states in which they are seen; the script goes by the same list.
 */
export async function signInPage(view: ShownSignIn, parts: SignInPageParts): Promise<string> {
  const { assets, isDevelopment } = parts;
  const changesByItself = ['waiting', 'connected', 'verifying'].includes(view.state);
  return renderPage({
    title: `Sign in to ${view.clientName}`,
    styleUrl: assets.url('sign-in.css'),
    scriptUrl: assets.url('sign-in-page.js'),
    ...(isDevelopment ? { banner: 'development' } : {}),
    ...(changesByItself ? { refreshWithoutScriptSeconds: REFRESH_SECONDS } : {}),
    body: await pageBody(view, parts),
  });
}

async function pageBody(view: ShownSignIn, { basePath, logoUrl }: SignInPageParts): Promise<string> {
  const path = `${basePath}/authorize/${view.txn}`;
  const sentences = transactionSentences(view.clientName);
  const config: SignInConfig = {
    statusUrl: `${path}/status`,
    continueUrl: `${path}/continue`,
    state: view.state,
    expiresInSeconds: view.expiresInSeconds,
    sentences,
    unreachable: UNREACHABLE_SENTENCE,
  };
  const name = escapeHtml(view.clientName);
  return `<main id="sign-in" data-config="${escapeHtml(JSON.stringify(config))}">
${heading(view, logoUrl)}
<div class="columns">
<section aria-labelledby="act">
<h2 id="act">Show that you are a person</h2>
<p id="status" class="status" role="status" aria-live="polite" tabindex="-1" data-mood="${MOODS[view.state]}">${escapeHtml(sentenceOf(sentences, view))}</p>
${await scanPart(view)}
${seenIn(view, 'waiting connected', 'p', 'class="time"')}Time left: <b id="time-left" role="timer">${timeLeft(view.expiresInSeconds)}</b></p>
${choices(view, path)}
</section>
<section aria-labelledby="shared">
<h2 id="shared">What ${name} gets</h2>
${sharedList(view)}
</section>
</div>
${simulatorPart(view)}
</main>`;
}

function heading(view: ShownSignIn, logoUrl: string | undefined): string {
  const picture =
    logoUrl === undefined
      ? `<span class="logo initials" aria-hidden="true">${escapeHtml(initialsOf(view.clientName))}</span>`
      : `<img class="logo" src="${escapeHtml(logoUrl)}" alt="" width="64" height="64">`;
  const badge = view.isStaging ? '\n<p><span class="badge">staging</span></p>' : '';
  return `<header class="app">
${picture}
<div>
<h1>Sign in to ${escapeHtml(view.clientName)}</h1>
<p class="host">Afterwards you return to <b>${escapeHtml(view.redirectHost)}</b>.</p>${badge}
</div>
</header>`;
}

async function scanPart(view: ShownSignIn): Promise<string> {
  const { connectUrl, state } = view;
  if (connectUrl === undefined || state !== 'waiting') return '';
  const picture = `<div class="qr-picture" role="img" aria-label="QR code that opens this sign-in in a wallet">${await qrCode(connectUrl)}</div>`;
  return `${seenIn(view, 'waiting', 'div', 'class="scan"')}
<a id="wallet-link" class="button primary" href="${escapeHtml(connectUrl)}" target="_blank" rel="noopener noreferrer">Open your wallet</a>
<div class="qr">
<p>Scan this code with your wallet. If the wallet is on this device, open it below.</p>
${picture}
</div>
<details class="qr-folded">
<summary>Scan with another device</summary>
${picture}
</details>
</div>`;
}

function choices(view: ShownSignIn, path: string): string {
  const hasAttempts = view.attemptsLeft > 0;
  const form = (states: string, act: 'retry' | 'cancel', button: string): string =>
    `${seenIn(view, states, 'form', `method="post" action="${path}/${act}"`)}${button}</form>`;
  const retry = form('failed expired', 'retry', '<button class="primary">Try again</button>');
  // a wallet can fetch the request once: one that was closed on it cannot go on
  const startOver = form('connected', 'retry', '<button>Show a new code</button>');
  const last = `${seenIn(view, 'failed expired', 'p')}That was the last attempt. You can start again from the app.</p>`;
  return `${hasAttempts ? '' : last}
<div class="buttons">
${hasAttempts ? retry : ''}
${form('waiting connected failed expired', 'cancel', '<button>Back to the app</button>')}
${hasAttempts ? startOver : ''}
${seenIn(view, 'completed refused', 'p')}<a class="button primary" href="${path}/continue">Continue</a></p>
</div>`;
}

/** The form of the link that simulators of World App take; for staging clients and development alone. */
function simulatorPart(view: ShownSignIn): string {
  if (view.worldAppUrl === undefined) return '';
  return `${seenIn(view, 'waiting', 'details', 'class="simulator"')}
<summary>Link for a wallet simulator</summary>
<div class="field">
<label for="simulator-link">Address to paste into the simulator</label>
<input id="simulator-link" readonly value="${escapeHtml(view.worldAppUrl)}">
</div>
<p><button id="copy-simulator-link" type="button" hidden>Copy the address</button> <span id="copy-said" role="status"></span></p>
</details>`;
}

/** The opening tag of a part that is seen in some states only. */
function seenIn({ state }: ShownSignIn, states: string, tag: string, attributes = ''): string {
  const hidden = states.split(' ').includes(state) ? '' : ' hidden';
  return `<${tag}${attributes === '' ? '' : ` ${attributes}`} data-show="${states}"${hidden}>`;
}

function timeLeft(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** First letters of the first words, as people see letters: one may be several code points. */
function initialsOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}\p{M}]+/u).filter((word) => word !== '');
  const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });
  return words
    .slice(0, MAX_INITIALS)
    .map((word) => [...letters.segment(word)][0]?.segment.toUpperCase() ?? '')
    .join('');
}
