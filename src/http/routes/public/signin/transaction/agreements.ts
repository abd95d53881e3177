import type { Choice } from '../../../../../storage/signin/transactions.ts';
import { escapeHtml } from '../../../../../text.ts';
import { folded } from '../../../../pages/render-page.ts';
import type { PageTexts } from '../../../../pages/texts/page-texts.ts';

/** State of the choices, for the page. */
export interface AgreementsView {
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
export function agreements(
  { clientName, choices, agreed }: AgreementsView,
  action: string,
  texts: PageTexts,
  seconds: Readonly<Record<Choice, number>>,
): string {
  const client = escapeHtml(clientName);
  const textOf: Readonly<Record<Choice, string>> = {
    stay: texts.html('choices.stay', { client }),
    offline: texts.html('choices.offline', { client }),
  };
  const noteOf: Readonly<Record<Choice, string>> = {
    stay: texts.html('choices.stayNote', { time: texts.duration(seconds.stay) }),
    offline: texts.html('choices.offlineNote', { time: texts.duration(seconds.offline) }),
  };
  const undoOf: Readonly<Record<Choice, string>> = {
    stay: texts.html('choices.undo'),
    offline: texts.html('choices.offlineUndo'),
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
