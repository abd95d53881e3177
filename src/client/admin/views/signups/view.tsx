import type { VNode } from 'preact';
import type { Signup } from '../../api/types.ts';
import type { View } from '../../context.ts';
import { Badge, Card, Code, Empty, Link } from '../../parts/content.tsx';
import type { FieldSpec } from '../../parts/fields.tsx';
import { FieldError, Form } from '../../parts/form.tsx';
import { PagedList, usePages } from '../../parts/resource.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { ImportForm } from './import-form.tsx';
import { OrbKeys } from './orb-keys.tsx';

const HINT =
  'A JSON list, or one record per line, each with id_comm, signup_id, orb_id and enrolled_at; status is active if it is absent. The same records again change nothing.';
const ID_COMM: FieldSpec = {
  ...{ name: 'id_comm', label: 'Identity commitment', kind: 'code' },
  hint: 'id_comm: 0x and up to 64 hex digits',
};
const REPLACE: FieldSpec = {
  ...{ name: 'replace', label: 'Replace', kind: 'check' },
  hint: 'Accepts another signup_id or orb_id for a known id_comm, which is refused otherwise.',
};

/** Enrolment records of people who hold the older identity version, and the keys of the orbs that enrolled them. */
export const signupsView: View = {
  title: 'Signups',
  lead: 'People who hold the older version of the identity can be issued a credential of the new one (credential refresh). This service does so for those whose enrolment is recorded here, by packages that a known orb signed.',
  Content: SignupsPage,
};

function SignupsPage(): VNode {
  const rows = usePages<Signup>({ name: 'records', path: '/signups', limit: 20 });
  return (
    <>
      <Card title="Look up a signup">
        <LookUpForm />
      </Card>
      <Card title="Enrolment records">
        <PagedList
          of={rows}
          caption="Enrolment records"
          columns={COLUMNS}
          none={<Empty title="No records yet." text="Import them below, or with proofgate signups import." />}
        />
      </Card>
      <Card title="Import records">
        <ImportForm
          {...{ path: '/signups', one: 'record', hint: HINT, action: 'Import the records' }}
          options={[REPLACE]}
          onImported={() => rows.load()}
        />
      </Card>
      <OrbKeys />
    </>
  );
}

function LookUpForm(): VNode {
  return (
    <Form
      fields={[ID_COMM]}
      action="Look up"
      isReading
      fieldOf={() => 'id_comm'}
      submit={async (values, { api, open }) => {
        const wanted = values.text('id_comm');
        if (wanted === '') throw new FieldError('id_comm', 'Enter an identity commitment.');
        const { id_comm } = await api.get<Signup>(`/signups/${encodeURIComponent(wanted)}`);
        open(`/signups/${id_comm}`);
      }}
    />
  );
}

const COLUMNS: readonly Column<Signup>[] = [
  {
    title: 'Identity commitment',
    isHead: true,
    cell: ({ id_comm }) => <Link to={`/signups/${id_comm}`}>{`${id_comm.slice(0, 14)}…`}</Link>,
  },
  { title: 'signup_id', cell: ({ signup_id }) => <Code text={signup_id} isShort /> },
  { title: 'Orb', cell: ({ orb_id }) => <Code text={orb_id} isShort /> },
  { title: 'Enrolled', cell: ({ enrolled_at }) => <Time at={enrolled_at} /> },
  {
    title: 'State',
    cell: ({ status }) => <Badge tone={status === 'active' ? 'good' : 'bad'}>{status}</Badge>,
  },
];
