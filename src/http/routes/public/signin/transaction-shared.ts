import { escapeHtml } from '../../../pages/index.ts';

/** What of a sign-in decides what the app gets. */
export interface SharedFacts {
  readonly scopes: readonly string[];
  readonly requiresOrb: boolean;
}

/** What the app learns of the person (signin.md section 6), as an HTML list; one item for each thing. */
export function sharedList({ scopes, requiresOrb }: SharedFacts): string {
  const level = requiresOrb
    ? item('That you were verified at an orb', 'This app accepts nothing less.')
    : item('How you were verified', 'Either at an orb or on a device.');
  const items = [
    item('An identifier for this app only', 'Other apps get other ones, so that nobody can connect them.'),
    level,
    ...(scopes.includes('email')
      ? [item('A stand-in e-mail address', 'It is made of the identifier. Nobody reads what is sent to it.')]
      : []),
    ...(scopes.includes('profile')
      ? [item('A stand-in name', 'Everybody who signs in has the same one.')]
      : []),
  ];
  return `<ul class="shared">
${items.join('\n')}
</ul>
<p class="hint">It does not learn your name, your address or what you do in other apps.</p>`;
}

function item(name: string, explanation: string): string {
  return `<li>${escapeHtml(name)}<small>${escapeHtml(explanation)}</small></li>`;
}
