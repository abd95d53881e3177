import { element } from '../../../dom.ts';
import type { Listed } from '../../api/client.ts';
import type { Signup } from '../../api/types.ts';
import type { View, ViewContext } from '../../context.ts';
import { badge, card, emptyState } from '../../parts/feedback.ts';
import { checkbox, FieldError, form, formField } from '../../parts/form.ts';
import { pager } from '../../parts/pager.ts';
import { type Column, code, link, table } from '../../parts/table.ts';
import { relativeTime } from '../../parts/time.ts';
import { importForm } from './import-form.ts';
import { orbKeyCards } from './orb-keys.ts';

const PAGE_ROWS = 20;
const HINT =
  'A JSON list, or one record per line, each with id_comm, signup_id, orb_id and enrolled_at; status is active if it is absent. The same records again change nothing.';

/** Enrolment records of people who hold the older identity version, and the keys of the orbs that enrolled them. */
export const signupsView: View = {
  title: 'Signups',
  lead: 'People who hold the older version of the identity can be issued a credential of the new one (credential refresh). This service does so for those whose enrolment is recorded here, by packages that a known orb signed.',
  async render(context, target) {
    const { api, signal, announce } = context;
    const rows = pager<Signup>({
      ...{ name: 'records', signal, announce },
      read: (cursor, ended) => api.get<Listed<Signup>>('/signups', { cursor, limit: PAGE_ROWS }, ended),
      show: (items) =>
        items.length > 0
          ? [table('Enrolment records', COLUMNS, items)]
          : [emptyState('No records yet.', 'Import them below, or with proofgate signups import.')],
    });
    const replace = checkbox(
      ...([
        'replace',
        'Replace',
        'Accepts another signup_id or orb_id for a known id_comm, which is refused otherwise.',
      ] as const),
      false,
    );
    const importing = importForm({
      ...{ context, path: '/signups', one: 'record', hint: HINT, action: 'Import the records' },
      extra: [replace],
      more: () =>
        replace.control instanceof HTMLInputElement && replace.control.checked ? { replace: true } : {},
      onImported: () => rows.load(),
    });
    target.append(
      card('Look up a signup', [lookUpForm(context)]),
      card('Enrolment records', [rows.node]),
      card('Import records', [importing]),
      ...orbKeyCards(context),
    );
    await rows.load();
  },
};

function lookUpForm(context: ViewContext): HTMLElement {
  const id = element('input', { name: 'id_comm', class: 'mono', spellcheck: 'false', autocomplete: 'off' });
  const hint = 'id_comm: 0x and up to 64 hex digits';
  return form({
    fields: [formField('id_comm', 'Identity commitment', id, hint)],
    ...{ action: 'Look up', context, isReading: true },
    fieldOf: () => 'id_comm',
    async submit() {
      const wanted = id.value.trim();
      if (wanted === '') throw new FieldError('id_comm', 'Enter an identity commitment.');
      const { id_comm } = await context.api.get<Signup>(`/signups/${encodeURIComponent(wanted)}`);
      context.open(`/signups/${id_comm}`);
    },
  });
}

const COLUMNS: readonly Column<Signup>[] = [
  {
    title: 'Identity commitment',
    isHead: true,
    cell: ({ id_comm }) => link(`${id_comm.slice(0, 14)}…`, `/signups/${id_comm}`),
  },
  { title: 'signup_id', cell: ({ signup_id }) => code(signup_id, true) },
  { title: 'Orb', cell: ({ orb_id }) => code(orb_id, true) },
  { title: 'Enrolled', cell: ({ enrolled_at }) => relativeTime(enrolled_at) },
  { title: 'State', cell: ({ status }) => badge(status, status === 'active' ? 'good' : 'bad') },
];
