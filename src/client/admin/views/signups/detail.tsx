import type { VNode } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import type { BoundSignup } from '../../api/types.ts';
import { useView, type View } from '../../context.ts';
import { Action } from '../../parts/action.tsx';
import { BackLink, Badge, Card, Code, Empty, Facts } from '../../parts/content.tsx';
import { formatCount, formatExact } from '../../parts/format.ts';
import { Loaded, useResource } from '../../parts/resource.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';

/** One enrolment record, the subs it is bound to, and its revocation. */
export const signupDetailView: View = { title: 'Signup', Content: SignupPage };

function SignupPage(): VNode {
  const { api, path } = useView();
  const signup = useResource((over) =>
    api.get<BoundSignup>(`/signups/${encodeURIComponent(path[0] ?? '')}`, {}, over),
  );
  return (
    <Loaded from={signup} isWhole>
      {(one) => <SignupCards signup={one} />}
    </Loaded>
  );
}

function SignupCards({ signup }: { signup: BoundSignup }): VNode {
  const { rename } = useView();
  const { signup_id, status, bindings } = signup;
  useLayoutEffect(() => rename(`Signup ${signup_id}`), []);
  return (
    <>
      <BackLink to="/signups">← All signups</BackLink>
      <Card title="Record" controls={status === 'active' && <RevokeButton signup={signup} />}>
        <RecordFacts signup={signup} />
      </Card>
      <Card title="Issued credentials">
        {bindings.length === 0 ? (
          <Empty title="No credential yet." text="The first one binds the record to the sub of its holder." />
        ) : (
          <Table
            caption="Subs that the record is bound to, one for each schema"
            columns={COLUMNS}
            rows={bindings}
          />
        )}
      </Card>
    </>
  );
}

function RecordFacts({ signup }: { signup: BoundSignup }): VNode {
  const { id_comm, signup_id, orb_id, status, enrolled_at, updated_at } = signup;
  const isActive = status === 'active';
  return (
    <Facts
      rows={[
        [
          'State',
          <span>
            <Badge tone={isActive ? 'good' : 'bad'}>{status}</Badge>
            {isActive ? ' its holder can be issued credentials' : ' no more credentials are issued'}
          </span>,
        ],
        ['Identity commitment', <Code text={id_comm} />],
        ['signup_id', <Code text={signup_id} />],
        ['Orb', <Code text={orb_id} />],
        ['Enrolled', <ExactTime at={enrolled_at} />],
        ['Updated', <ExactTime at={updated_at} />],
      ]}
    />
  );
}

function ExactTime({ at }: { at: string }): VNode {
  return (
    <span>
      {`${formatExact(Date.parse(at))} (`}
      <Time at={at} />)
    </span>
  );
}

const COLUMNS: readonly Column<BoundSignup['bindings'][number]>[] = [
  { title: 'Schema', isHead: true, cell: ({ issuer_schema_id }) => <Code text={issuer_schema_id} /> },
  { title: 'sub', kind: 'code', cell: ({ sub }) => <Code text={sub} isShort /> },
  { title: 'Credentials', kind: 'number', cell: ({ credentials }) => formatCount(credentials) },
  { title: 'First issued', cell: ({ genesis_issued_at }) => <Time at={genesis_issued_at} /> },
  { title: 'Last issued', cell: ({ last_issued_at }) => <Time at={last_issued_at} /> },
];

function RevokeButton({ signup: { id_comm, signup_id } }: { signup: BoundSignup }): VNode {
  return (
    <Action
      text="Revoke"
      class="danger"
      question={{
        title: `Revoke the signup ${signup_id}?`,
        text: 'Its holder is issued no more credentials. Those that were issued stay valid. An import that has the record as active undoes it.',
        action: 'Revoke',
      }}
      run={async ({ api, reload }) => {
        await api.patch(`/signups/${encodeURIComponent(id_comm)}`, { body: { status: 'revoked' } });
        reload();
        return `The signup ${signup_id} is revoked.`;
      }}
    />
  );
}
