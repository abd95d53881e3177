import type { VNode } from 'preact';
import type { SigningKey } from '../../api/types.ts';
import type { View } from '../../context.ts';
import { Action } from '../../parts/action.tsx';
import { Badge, Card, Code, Empty, type Tone } from '../../parts/content.tsx';
import { formatDate, formatRelative } from '../../parts/format.ts';
import { Loaded, useList } from '../../parts/resource.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
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
    rotation: {
      title: 'Rotate the sign-in key now?',
      text: 'The next key becomes active at once and a new next key is made. Tokens of the old key stay valid until they expire. If the next key is younger than the caches of clients, some may refuse new tokens for a while.',
      action: 'Rotate',
    },
    rotated: { use: 'signin', force: true },
    remove: 'Remove',
    removal:
      'For a compromised key only: every token that it signed becomes invalid, and people have to sign in again.',
    removed: 'removed',
  },
  credential: {
    title: 'Credential keys',
    none: ['No credential key yet.', 'Make one before you enable credential refresh in production.'],
    rotate: 'Make a new key',
    rotation: {
      title: 'Make a new credential key?',
      text: 'The new key signs from now on. It must be registered where credentials are verified, or they are refused there.',
      action: 'Make the key',
    },
    rotated: { use: 'credential' },
    remove: 'Revoke',
    removal:
      'For a compromised key only: it never signs again. Make another one before, or no credential is issued.',
    removed: 'revoked',
  },
} as const;

/** Keys that sign tokens and credentials, and keys that proofs are verified with. */
export const keysView: View = { title: 'Keys', Content: KeysPage };

function KeysPage(): VNode {
  return (
    <>
      <SigningKeys use="signin" />
      <SigningKeys use="credential" />
      <VerifyingKeys />
    </>
  );
}

function SigningKeys({ use }: { use: SigningKey['use'] }): VNode {
  const { title, none, rotate, rotation, rotated } = USES[use];
  const keys = useList<SigningKey>('/keys', { use });
  const button = (
    <Action
      text={rotate}
      question={rotation}
      run={async ({ api, reload }) => {
        const { active } = await api.post<{ readonly active: string }>('/keys/rotate', { body: rotated });
        reload();
        return `The key ${active} is active now.`;
      }}
    />
  );
  return (
    <Card title={title} controls={button}>
      <Loaded from={keys}>
        {(items) =>
          items.length === 0 ? (
            <Empty title={none[0]} text={none[1]} />
          ) : (
            <>
              <p class="lead">{rotationOf(items)}</p>
              <Table caption="Signing keys" columns={COLUMNS} rows={items} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

/** Says in words when the active key changes. */
function rotationOf(keys: readonly SigningKey[]): VNode | string {
  const active = keys.find(({ state }) => state === 'active');
  if (active?.use === 'credential') {
    return 'A credential key does not change by itself: register a new one where credentials are verified.';
  }
  if (active === undefined) return 'No key is active: tokens cannot be signed.';
  if (active.changes_at === null) return 'Rotation is off: the active key does not change by itself.';
  const time = Date.parse(active.changes_at);
  return (
    <>
      The next rotation is on <strong>{formatDate(time)}</strong>
      {` (${formatRelative(time, Date.now())}). Clients that read the key set need to do nothing.`}
    </>
  );
}

const COLUMNS: readonly Column<SigningKey>[] = [
  {
    title: 'Key',
    isHead: true,
    cell: ({ kid, development }) => (
      <>
        <Code text={kid} isShort />
        {development && (
          <>
            {' '}
            <Badge tone="note">development</Badge>
          </>
        )}
      </>
    ),
  },
  {
    title: 'State',
    cell: ({ state }) => {
      const [meaning, tone] = STATES[state];
      return (
        <>
          <Badge tone={tone}>{state}</Badge> {meaning}
        </>
      );
    },
  },
  {
    title: 'Since',
    cell: ({ state, created_at, activated_at, retired_at }) => (
      <Time at={(state === 'next' ? created_at : (retired_at ?? activated_at)) ?? created_at} />
    ),
  },
  { title: 'Changes', cell: ({ changes_at }) => <Time at={changes_at} none="not by itself" /> },
  { title: 'Action', kind: 'controls', cell: (key) => key.state !== 'revoked' && <RemoveButton {...key} /> },
];

function RemoveButton({ kid, use }: SigningKey): VNode {
  const { remove, removal, removed } = USES[use];
  return (
    <Action
      text={remove}
      class="danger"
      label={`${remove} key ${kid}`}
      question={{ title: `${remove} the key ${kid.slice(0, 16)}…?`, text: removal, action: remove }}
      run={async ({ api, reload }) => {
        await api.remove(`/keys/${encodeURIComponent(kid)}`, { query: { use } });
        reload();
        return `The key ${kid} is ${removed}.`;
      }}
    />
  );
}
