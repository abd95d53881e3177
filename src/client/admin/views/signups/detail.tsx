import type { ComponentChildren, VNode } from 'preact';
import type { BoundSignup } from '../../api/types.ts';
import type { View } from '../../context.ts';
import { action } from '../../parts/action.tsx';
import { backLink, card, empty, facts, stateBadge } from '../../parts/content.tsx';
import { formatCount, formatExact } from '../../parts/format.ts';
import { objectView } from '../../parts/resource.tsx';
import { amounts, type Column, code, codes, column, head, table } from '../../parts/table.tsx';
import { time } from '../../parts/time.tsx';

/** One enrolment record, the subs it is bound to, and its revocation. */
export const signupDetailView: View = objectView(
  'Signup',
  async ({ api, path, signal, rename }) => {
    const signup = await api.call('GET /signups/{id_comm}', { id_comm: path[0] ?? '' }, { signal });
    rename(`Signup ${signup.signup_id}`);
    return signup;
  },
  (signup) => [
    backLink('/signups', '← All signups'),
    card('Record', recordFacts(signup), signup.status === 'active' && revokeButton(signup)),
    card('Issued credentials', bindingTable(signup)),
  ],
);

function recordFacts({ id_comm, signup_id, orb_id, status, enrolled_at, updated_at }: BoundSignup): VNode {
  const isActive = status === 'active';
  const meaning = isActive ? ' its holder can be issued credentials' : ' no more credentials are issued';
  return facts(
    ['State', <span>{[stateBadge(isActive, status, status), meaning]}</span>],
    ['Identity commitment', code(id_comm)],
    ['signup_id', code(signup_id)],
    ['Orb', code(orb_id)],
    ['Enrolled', exactTime(enrolled_at)],
    ['Updated', exactTime(updated_at)],
  );
}

function exactTime(at: string): VNode {
  return <span>{[`${formatExact(Date.parse(at))} (`, time(at), ')']}</span>;
}

function bindingTable({ bindings }: BoundSignup): ComponentChildren {
  if (bindings.length === 0) {
    return empty(['No credential yet.', 'The first one binds the record to the sub of its holder.']);
  }
  return table(
    { caption: 'Subs that the record is bound to, one for each schema', columns: COLUMNS },
    bindings,
  );
}

const COLUMNS: readonly Column<BoundSignup['bindings'][number]>[] = [
  head('Schema', ({ issuer_schema_id }) => code(issuer_schema_id)),
  codes('sub', ({ sub }) => code(sub, true)),
  amounts('Credentials', ({ credentials }) => formatCount(credentials)),
  column('First issued', ({ genesis_issued_at }) => time(genesis_issued_at)),
  column('Last issued', ({ last_issued_at }) => time(last_issued_at)),
];

function revokeButton({ id_comm, signup_id }: BoundSignup): VNode {
  return action({
    text: 'Revoke',
    mood: 'danger',
    ask: [
      `Revoke the signup ${signup_id}?`,
      'Its holder is issued no more credentials. Those that were issued stay valid. An import that has the record as active undoes it.',
    ],
    run: ({ api }) => api.call('PATCH /signups/{id_comm}', { id_comm, status: 'revoked' }),
    done: () => `The signup ${signup_id} is revoked.`,
  });
}
