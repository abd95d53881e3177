import type { PageTexts } from '../../../../pages/texts/page-texts.ts';

/** Properties of a sign-in that determine the data for the app. */
export interface SharedFacts {
  readonly scopes: readonly string[];
  readonly requiresOrb: boolean;
}

/** Renders the list of data that the app receives about the person (spec/sign-in.md#claims-about-the-person). */
export function sharedList({ scopes, requiresOrb }: SharedFacts, texts: PageTexts): string {
  const level = requiresOrb
    ? item(texts.html('shared.orb'), texts.html('shared.orbNote'))
    : item(texts.html('shared.level'), texts.html('shared.levelNote'));
  const items = [
    item(texts.html('shared.identifier'), texts.html('shared.identifierNote')),
    level,
    ...(scopes.includes('email') ? [item(texts.html('shared.email'), texts.html('shared.emailNote'))] : []),
    ...(scopes.includes('profile') ? [item(texts.html('shared.name'), texts.html('shared.nameNote'))] : []),
  ];
  return `<ul class="shared">
${items.join('\n')}
</ul>
<p class="hint">${texts.html('shared.nothingElse')}</p>`;
}

function item(nameHtml: string, explanationHtml: string): string {
  return `<li>${nameHtml}<small>${explanationHtml}</small></li>`;
}
