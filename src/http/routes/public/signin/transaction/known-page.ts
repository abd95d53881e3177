import type { Binding } from '../../../../../config/apps/fields.ts';
import { ALL_KNOWN } from '../../../../../oidc/known/known-person.ts';
import { PASSKEY_ALGORITHMS } from '../../../../../oidc/known/passkeys.ts';
import type { KnownItem, KnownPersonView } from '../../../../../oidc/known/types.ts';
import type { NewPasskeyConfig } from '../../../../../pages.ts';
import { escapeHtml } from '../../../../../text.ts';
import { folded } from '../../../../pages/render-page.ts';
import { renderSitePage, type Site } from '../../../../pages/site.ts';
import type { PageTexts } from '../../../../pages/texts/page-texts.ts';
import { passkeyButton } from './passkey-button.ts';

/** Parts that the page needs in addition to what it lists. */
export interface KnownPageParts {
  readonly site: Site;
  readonly texts: PageTexts;
  /** How long each thing is kept after its last use, in seconds. */
  readonly rememberSeconds: number;
}

/**
 * Renders the page on which a person sees and deletes what recognises them (spec/sign-in.md#recognition-page). Only passkeys
 * need its script. Buttons are folded away, so that a click that another page redirected here does not press one
 * (spec/sign-in.md#guarded-controls).
 */
export function knownPage(view: KnownPersonView, parts: KnownPageParts): string {
  const { site, texts, rememberSeconds } = parts;
  const client = escapeHtml(view.clientName);
  const path = `${site.basePath}/authorize/${view.txn}`;
  const { sessions, browsers, passkeys } = view;
  const bindingText: Readonly<Record<Binding, string>> = {
    bound: texts.html('known.bound'),
    paired: texts.html('known.paired'),
    session: texts.html('known.sessionAlone'),
  };
  const item = (name: string, one: KnownItem, noteHtml: string): string => {
    const created = timeOf(one.createdAt, texts);
    const used = timeOf(one.usedAt, texts);
    return `<li><p><b>${name}</b><small>${texts.html('known.dates', { created, used })}</small></p>
${forgetForm(path, one.id, texts.html('known.forget'), noteHtml)}</li>`;
  };
  const list = (id: string, title: string, items: readonly string[], rest = ''): string => {
    const content =
      items.length === 0
        ? `<p class="hint">${texts.html('known.none')}</p>`
        : `<ul class="known">\n${items.join('\n')}\n</ul>`;
    return `<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${content}${rest}
</section>`;
  };
  const isEmpty = sessions.length + browsers.length + passkeys.length === 0;
  const forgetAll = isEmpty
    ? ''
    : `\n${forgetForm(path, ALL_KNOWN, texts.html('known.forgetAll'), texts.html('known.forgetAllNote', { client }))}`;
  const time = texts.duration(rememberSeconds);
  const main = `<main id="known">
<header>
<h1>${texts.html('known.title', { client })}</h1>
<p>${texts.html('known.text', { client })}</p>
<p class="hint">${texts.html('known.kept', { time })}</p>
</header>
${list(
  'sessions',
  texts.html('known.sessions'),
  sessions.map((one) => item(bindingText[one.binding], one, texts.html('known.forgetSessionNote'))),
)}
${list(
  'browsers',
  texts.html('known.browsers'),
  browsers.map((one) => {
    const name = one.isThis ? texts.html('known.thisBrowser') : texts.html('known.otherBrowser');
    return item(name, one, texts.html('known.forgetPointerNote'));
  }),
)}
${list(
  'passkeys',
  texts.html('known.passkeys'),
  passkeys.map((one) => item(texts.html('known.passkey'), one, texts.html('known.forgetPasskeyNote'))),
  savePart(view, path, parts),
)}
<section aria-labelledby="end">
<h2 id="end">${texts.html('known.end')}</h2>
<p><a class="button primary" href="${path}/continue">${texts.html('signin.continue')}</a></p>${forgetAll}
</section>
</main>`;
  const title = texts.text('known.title', { client: view.clientName });
  return renderSitePage(site, texts, { title, script: 'sign-in-page.js', main });
}

/** Renders a form that deletes something once it has been unfolded. */
function forgetForm(path: string, id: string, nameHtml: string, noteHtml: string): string {
  const button = `<button class="danger" name="id" value="${id}">${nameHtml}</button>`;
  return `<form method="post" action="${path}/known/forget">${folded(nameHtml, `<p>${noteHtml}</p>\n${button}`)}</form>`;
}

function savePart(
  { newPasskey, clientName, at }: KnownPersonView,
  path: string,
  parts: KnownPageParts,
): string {
  if (newPasskey === undefined) return '';
  const { site, texts } = parts;
  const config: NewPasskeyConfig = {
    ...newPasskey,
    url: `${path}/known/passkey`,
    rpName: site.operatorName,
    algorithms: PASSKEY_ALGORITHMS,
    // Names no person, and tells apps and days apart in the list of a password manager.
    userName: `${clientName} (${texts.date(at)})`,
    failed: texts.text('passkey.notSaved'),
    stopped: texts.text('passkey.notSaved'),
    unanswered: texts.text('passkey.unanswered'),
    busy: texts.text('signin.busy'),
  };
  const note = texts.html('passkey.saveNote', { client: escapeHtml(clientName) });
  return `\n${passkeyButton(config, texts.html('passkey.save'), note)}`;
}

function timeOf(at: number, texts: PageTexts): string {
  return `<time datetime="${new Date(at).toISOString()}">${escapeHtml(texts.date(at))}</time>`;
}
