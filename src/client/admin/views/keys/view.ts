import { element } from '../../../dom.ts';
import type { Listed } from '../../api/client.ts';
import type { SigningKey } from '../../api/types.ts';
import type { View, ViewContext } from '../../context.ts';
import { actionButton } from '../../parts/action-button.ts';
import { badge, card, emptyState, fill, type Tone } from '../../parts/feedback.ts';
import { formatDate, formatRelative } from '../../parts/format.ts';
import { type Column, code, table } from '../../parts/table.ts';
import { optionalTime, relativeTime } from '../../parts/time.ts';
import { verifyingCards } from './verifying.ts';

const STATES: Readonly<Record<SigningKey['state'], readonly [meaning: string, tone: Tone]>> = {
  active: ['signs', 'good'],
  next: ['is published, signs next', 'accent'],
  retired: ['only verifies what it signed', 'plain'],
  revoked: ['is no longer trusted', 'bad'],
};

/** Keys that sign tokens and credentials, and keys that proofs are verified with. */
export const keysView: View = {
  title: 'Keys',
  async render(context, target) {
    const { api, signal } = context;
    const [signing, credential] = [element('div'), element('div')];
    target.append(
      card('Sign-in keys', [signing], [rotateButton(context, 'signin')]),
      card('Credential keys', [credential], [rotateButton(context, 'credential')]),
      ...verifyingCards(context),
    );
    const read = async (use: SigningKey['use']): Promise<readonly Node[]> => {
      const { items } = await api.get<Listed<SigningKey>>('/keys', { use }, signal);
      if (items.length > 0) return [rotationText(items), table('Signing keys', keyColumns(context), items)];
      return use === 'signin'
        ? [emptyState('No sign-in key yet.', 'The service makes one when it starts with sign-in enabled.')]
        : [
            emptyState(
              'No credential key yet.',
              'Make one before you enable credential refresh in production.',
            ),
          ];
    };
    await Promise.all([
      fill(signing, signal, () => read('signin')),
      fill(credential, signal, () => read('credential')),
    ]);
  },
};

/** Says in words when the active key changes. */
function rotationText(keys: readonly SigningKey[]): HTMLElement {
  const active = keys.find(({ state }) => state === 'active');
  if (active?.use === 'credential') {
    return element(
      'p',
      { class: 'lead' },
      'A credential key does not change by itself: register a new one where credentials are verified.',
    );
  }
  if (active === undefined)
    return element('p', { class: 'lead' }, 'No key is active: tokens cannot be signed.');
  if (active.changes_at === null)
    return element('p', { class: 'lead' }, 'Rotation is off: the active key does not change by itself.');
  const time = Date.parse(active.changes_at);
  return element(
    'p',
    { class: 'lead' },
    'The next rotation is on ',
    element('strong', {}, formatDate(time)),
    ` (${formatRelative(time, Date.now())}). Clients that read the key set need to do nothing.`,
  );
}

function keyColumns(context: ViewContext): Column<SigningKey>[] {
  return [
    {
      title: 'Key',
      isHead: true,
      cell: ({ kid, development }) =>
        development ? [code(kid, true), ' ', badge('development', 'note')] : code(kid, true),
    },
    { title: 'State', cell: ({ state }) => [badge(state, STATES[state][1]), ` ${STATES[state][0]}`] },
    {
      title: 'Since',
      cell: ({ state, created_at, activated_at, retired_at }) =>
        relativeTime((state === 'next' ? created_at : (retired_at ?? activated_at)) ?? created_at),
    },
    { title: 'Changes', cell: ({ changes_at }) => optionalTime(changes_at, 'not by itself') },
    { title: 'Action', kind: 'controls', cell: (key) => removeButton(context, key) },
  ];
}

function rotateButton(context: ViewContext, use: SigningKey['use']): HTMLElement {
  const isSignIn = use === 'signin';
  return actionButton({
    text: isSignIn ? 'Rotate now' : 'Make a new key',
    context,
    question: {
      title: isSignIn ? 'Rotate the sign-in key now?' : 'Make a new credential key?',
      text: isSignIn
        ? 'The next key becomes active at once and a new next key is made. Tokens of the old key stay valid until they expire. If the next key is younger than the caches of clients, some may refuse new tokens for a while.'
        : 'The new key signs from now on. It must be registered where credentials are verified, or they are refused there.',
      action: isSignIn ? 'Rotate' : 'Make the key',
    },
    async run() {
      const body = isSignIn ? { use, force: true } : { use };
      const { active } = await context.api.post<{ readonly active: string }>('/keys/rotate', { body });
      context.reload();
      return `The key ${active} is active now.`;
    },
  });
}

function removeButton(context: ViewContext, { kid, use, state }: SigningKey): Node | string {
  if (state === 'revoked') return '';
  const isSignIn = use === 'signin';
  const verb = isSignIn ? 'Remove' : 'Revoke';
  return actionButton({
    text: verb,
    context,
    attributes: { class: 'danger', 'aria-label': `${verb} key ${kid}` },
    question: {
      title: `${verb} the key ${kid.slice(0, 16)}…?`,
      text: isSignIn
        ? 'For a compromised key only: every token that it signed becomes invalid, and people have to sign in again.'
        : 'For a compromised key only: it never signs again. Make another one before, or no credential is issued.',
      action: verb,
    },
    async run() {
      await context.api.remove(`/keys/${encodeURIComponent(kid)}`, { query: { use } });
      context.reload();
      return `The key ${kid} is ${isSignIn ? 'removed' : 'revoked'}.`;
    },
  });
}
