import type { VNode } from 'preact';
import type { Signup } from '../../api/types.ts';
import type { View } from '../../context.ts';
import { card, link, stateBadge } from '../../parts/content.tsx';
import type { FieldSpec } from '../../parts/fields.tsx';
import { FieldError, type FormParts, form } from '../../parts/form.tsx';
import { pagedList, usePages } from '../../parts/resource.tsx';
import { type Column, code, column, head } from '../../parts/table.tsx';
import { time } from '../../parts/time.tsx';
import { ImportForm } from './import-form.tsx';
import { OrbKeys } from './orb-keys.tsx';

const HINT =
  'A JSON list, or one record per line, each with id_comm, signup_id, orb_id and enrolled_at; status is active if it is absent. The same records again change nothing.';
const REPLACE: FieldSpec = {
  label: 'Replace',
  kind: 'check',
  hint: 'Accepts another signup_id or orb_id for a known id_comm, which is refused otherwise.',
};

/** Enrolment records of people who hold the older identity version, and the keys of the orbs that enrolled them. */
export const signupsView: View = {
  title: 'Signups',
  lead: 'People who hold the older version of the identity can be issued a credential of the new one (credential refresh). This service does so for those whose enrolment is recorded here, by packages that a known orb signed.',
  Content: SignupsPage,
};

function SignupsPage(): VNode {
  const rows = usePages('GET /signups', { name: 'records', input: {}, limit: 20 });
  const records = pagedList(rows, {
    caption: 'Enrolment records',
    columns: COLUMNS,
    none: ['No records yet.', 'Import them below, or with proofgate signups import.'],
  });
  const texts = { one: 'record', hint: HINT, action: 'Import the records' };
  const importing = (
    <ImportForm
      place="POST /signups"
      {...texts}
      options={{ replace: REPLACE }}
      onImported={() => rows.load()}
    />
  );
  return (
    <>
      {card('Look up a signup', form(LOOK_UP))}
      {card('Enrolment records', records)}
      {card('Import records', importing)}
      <OrbKeys />
    </>
  );
}

const LOOK_UP: FormParts = {
  action: 'Look up',
  isReading: true,
  fieldOf: () => 'id_comm',
  fields: {
    id_comm: {
      label: 'Identity commitment',
      kind: 'code',
      hint: 'id_comm: 0x and up to 64 hex digits',
    },
  },
  async submit(values, { api, open }) {
    const wanted = values.text('id_comm');
    if (wanted === '') throw new FieldError('id_comm', 'Enter an identity commitment.');
    const { id_comm } = await api.call('GET /signups/{id_comm}', { id_comm: wanted });
    open(`/signups/${id_comm}`);
  },
};

const COLUMNS: readonly Column<Signup>[] = [
  head('Identity commitment', ({ id_comm }) => link(`/signups/${id_comm}`, `${id_comm.slice(0, 14)}…`)),
  column('signup_id', ({ signup_id }) => code(signup_id, true)),
  column('Orb', ({ orb_id }) => code(orb_id, true)),
  column('Enrolled', ({ enrolled_at }) => time(enrolled_at)),
  column('State', ({ status }) => stateBadge(status === 'active', status, status)),
];
