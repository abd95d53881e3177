import { element, facts } from '../../../dom.ts';
import type { BoundSignup } from '../../api/types.ts';
import type { View, ViewContext } from '../../context.ts';
import { actionButton } from '../../parts/action-button.ts';
import { badge, card, emptyState, skeleton } from '../../parts/feedback.ts';
import { formatCount, formatExact } from '../../parts/format.ts';
import { code, link, table } from '../../parts/table.ts';
import { relativeTime } from '../../parts/time.ts';

/** One enrolment record, the subs it is bound to, and its revocation. */
export const signupDetailView: View = {
  title: 'Signup',
  async render(context, target) {
    const { api, path, signal, rename } = context;
    target.append(skeleton(6));
    const signup = await api.get<BoundSignup>(`/signups/${encodeURIComponent(path[0] ?? '')}`, {}, signal);
    rename(`Signup ${signup.signup_id}`);
    target.replaceChildren(
      element('nav', { 'aria-label': 'Place', class: 'crumbs' }, link('← All signups', '/signups')),
      card(
        'Record',
        [recordFacts(signup)],
        signup.status === 'active' ? [revokeButton(signup, context)] : [],
      ),
      card('Issued credentials', [bindingTable(signup)]),
    );
  },
};

function recordFacts({ id_comm, signup_id, orb_id, status, ...times }: BoundSignup): HTMLElement {
  const state = badge(status, status === 'active' ? 'good' : 'bad');
  const meaning =
    status === 'active' ? ' its holder can be issued credentials' : ' no more credentials are issued';
  return facts(
    ['State', element('span', {}, state, meaning)],
    ['Identity commitment', code(id_comm)],
    ['signup_id', code(signup_id)],
    ['Orb', code(orb_id)],
    ['Enrolled', exactTime(times.enrolled_at)],
    ['Updated', exactTime(times.updated_at)],
  );
}

function exactTime(iso: string): HTMLElement {
  return element('span', {}, `${formatExact(Date.parse(iso))} (`, relativeTime(iso), ')');
}

function bindingTable({ bindings }: BoundSignup): HTMLElement {
  if (bindings.length === 0) {
    return emptyState('No credential yet.', 'The first one binds the record to the sub of its holder.');
  }
  return table(
    'Subs that the record is bound to, one for each schema',
    [
      { title: 'Schema', isHead: true, cell: ({ issuer_schema_id }) => code(issuer_schema_id) },
      { title: 'sub', kind: 'code', cell: ({ sub }) => code(sub, true) },
      { title: 'Credentials', kind: 'number', cell: ({ credentials }) => formatCount(credentials) },
      { title: 'First issued', cell: ({ genesis_issued_at }) => relativeTime(genesis_issued_at) },
      { title: 'Last issued', cell: ({ last_issued_at }) => relativeTime(last_issued_at) },
    ],
    bindings,
  );
}

function revokeButton({ id_comm, signup_id }: BoundSignup, context: ViewContext): HTMLElement {
  return actionButton({
    text: 'Revoke',
    context,
    attributes: { class: 'danger' },
    question: {
      title: `Revoke the signup ${signup_id}?`,
      text: 'Its holder is issued no more credentials. Those that were issued stay valid. An import that has the record as active undoes it.',
      action: 'Revoke',
    },
    async run() {
      await context.api.patch(`/signups/${encodeURIComponent(id_comm)}`, { body: { status: 'revoked' } });
      context.reload();
      return `The signup ${signup_id} is revoked.`;
    },
  });
}
