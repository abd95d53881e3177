import type { ComponentChildren, VNode } from 'preact';
import type { SigningKey } from '../../api/types.ts';
import type { View } from '../../context.ts';
import { action } from '../../parts/action.tsx';
import { badge, card, empty, type Tone } from '../../parts/content.tsx';
import { formatDate, formatRelative } from '../../parts/format.ts';
import { loaded, useList } from '../../parts/resource.tsx';
import { type Column, code, column, controls, head, table } from '../../parts/table.tsx';
import { time } from '../../parts/time.tsx';
import { VerifyingKeys } from './verifying.tsx';

const STATES: Readonly<Record<SigningKey['state'], readonly [meaning: string, tone: Tone]>> = {
  active: ['signs', 'good'],
  next: ['is published, signs next', 'accent'],
  retired: ['only verifies what it signed', 'plain'],
  revoked: ['is no longer trusted', 'bad'],
};

/** Texts on the keys of one use. */
const USES = {
  signin: {
    title: 'Sign-in keys',
    none: ['No sign-in key yet.', 'The service makes one when it starts with sign-in enabled.'],
    rotate: 'Rotate now',
    rotation: [
      'Rotate the sign-in key now?',
      'The next key becomes active at once and a new next key is made. Tokens of the old key stay valid until they expire. If the next key is younger than the caches of clients, some may refuse new tokens for a while.',
      'Rotate',
    ],
    rotated: { use: 'signin', force: true },
    remove: 'Remove',
    removed: 'removed',
    removal:
      'For a compromised key only: every token that it signed becomes invalid, and people have to sign in again.',
  },
  credential: {
    title: 'Credential keys',
    none: ['No credential key yet.', 'Make one before you enable credential refresh in production.'],
    rotate: 'Make a new key',
    rotation: [
      'Make a new credential key?',
      'The new key signs from now on. It must be registered where credentials are verified, or they are refused there.',
      'Make the key',
    ],
    rotated: { use: 'credential' },
    remove: 'Revoke',
    removed: 'revoked',
    removal:
      'For a compromised key only: it never signs again. Make another one before, or no credential is issued.',
  },
} as const;

/** Keys that sign tokens and credentials, and keys that proofs are verified with. */
export const keysView: View = {
  title: 'Keys',
  Content: () => <>{[<SigningKeys use="signin" />, <SigningKeys use="credential" />, <VerifyingKeys />]}</>,
};

function SigningKeys({ use }: { use: SigningKey['use'] }): VNode {
  const { title, none, rotate, rotation, rotated } = USES[use];
  const keys = useList('GET /keys', { use });
  const rotateButton = action({
    text: rotate,
    ask: rotation,
    run: ({ api }) => api.call('POST /keys/rotate', rotated),
    done: ({ active }) => `The key ${active} is active now.`,
  });
  const show = (items: readonly SigningKey[]): ComponentChildren =>
    items.length === 0
      ? empty(none)
      : [
          <p class="lead">{rotationOf(items)}</p>,
          table({ caption: 'Signing keys', columns: COLUMNS }, items),
        ];
  return card(title, loaded(keys, show), rotateButton);
}

/** Describes the time of the next change of the active key. */
function rotationOf(keys: readonly SigningKey[]): ComponentChildren {
  const active = keys.find(({ state }) => state === 'active');
  if (active?.use === 'credential') {
    return 'A credential key does not change by itself: register a new one where credentials are verified.';
  }
  if (active === undefined) return 'No key is active: tokens cannot be signed.';
  if (active.changes_at === null) return 'Rotation is off: the active key does not change by itself.';
  const at = Date.parse(active.changes_at);
  const rest = ` (${formatRelative(at, Date.now())}). Clients that read the key set need to do nothing.`;
  return ['The next rotation is on ', <strong>{formatDate(at)}</strong>, rest];
}

const COLUMNS: readonly Column<SigningKey>[] = [
  head('Key', ({ kid, development }) => [
    code(kid, true),
    development && [' ', badge('development', 'note')],
  ]),
  column('State', ({ state }) => [badge(state, STATES[state][1]), ` ${STATES[state][0]}`]),
  column('Since', ({ state, created_at, activated_at, retired_at }) =>
    time((state === 'next' ? created_at : (retired_at ?? activated_at)) ?? created_at),
  ),
  column('Changes', ({ changes_at }) => time(changes_at, 'not by itself')),
  controls('Action', removeButton),
];

function removeButton({ kid, use, state }: SigningKey): VNode | string {
  if (state === 'revoked') return '';
  const { remove, removal, removed } = USES[use];
  return action({
    text: remove,
    mood: 'danger',
    label: `${remove} key ${kid}`,
    ask: [`${remove} the key ${kid.slice(0, 16)}…?`, removal],
    run: ({ api }) => api.call('DELETE /keys/{kid}', { kid, use }),
    done: () => `The key ${kid} is ${removed}.`,
  });
}
