import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { AuditRow } from '../api/types.ts';
import { useView, type View } from '../context.ts';
import { Badge, Card, Code, Empty } from '../parts/content.tsx';
import { Field } from '../parts/fields.tsx';
import { valuesOf } from '../parts/form.tsx';
import { differencesOf } from '../parts/format.ts';
import { PagedList, usePages } from '../parts/resource.tsx';
import type { Column } from '../parts/table.tsx';
import { TimeWithDate } from '../parts/time.tsx';

const MAX_OPEN_ITEMS = 4;
const FILTERS = [
  ['actor', 'Who', 'For example cli:root or api:config'],
  ['action', 'Action', 'For example app.updated'],
  ['target', 'Object', 'For example an app_id'],
] as const;

/** Who changed what and when. */
export const auditView: View = {
  title: 'Audit',
  lead: 'Every change, the latest first, whether from this page, the API, the command line or the configuration. Rows are never changed; proofgate audit verify proves it.',
  Content: AuditPage,
};

function filtersOf(read: (name: string) => string | null): Record<string, string> {
  return Object.fromEntries(FILTERS.map(([name]) => [name, read(name)?.trim() ?? '']));
}

function AuditPage(): VNode {
  const { query, remember } = useView();
  const form = useRef<HTMLFormElement>(null);
  /** What the list is filtered by: a field that is being typed in counts once it is sent. */
  const [chosen, setChosen] = useState(() => filtersOf((name) => query.get(name)));
  const rows = usePages<AuditRow>({ name: 'changes', path: '/audit', query: chosen, limit: 50 });
  const choose = (filters: Record<string, string>): void => {
    remember(filters);
    setChosen(filters);
    if (JSON.stringify(filters) === JSON.stringify(chosen)) void rows.load();
  };
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    if (form.current !== null) choose(filtersOf(valuesOf(form.current).text));
  };
  const clear = (): void => {
    for (const control of form.current?.querySelectorAll('input') ?? []) control.value = '';
    choose(filtersOf(() => ''));
  };
  const none = Object.values(chosen).some((value) => value !== '') ? (
    <Empty title="No change fits." text="The filters compare whole values. Clear one of them." />
  ) : (
    <Empty title="No changes yet." text="Whatever you change is listed here." />
  );
  return (
    <>
      <Card title="Filters">
        {/* biome-ignore lint/a11y/useSemanticElements: the element search cannot be submitted */}
        <form ref={form} class="filters" aria-label="Filters" role="search" onSubmit={send}>
          {FILTERS.map(([name, label, hint]) => (
            <Field spec={{ name, label, hint, kind: 'search', value: query.get(name) ?? '' }} />
          ))}
          <div class="buttons">
            <button type="submit" class="primary">
              Filter
            </button>
            <button type="button" onClick={clear}>
              Clear
            </button>
          </div>
        </form>
      </Card>
      <Card title="Changes">
        <PagedList of={rows} caption="Changes, the latest first" columns={COLUMNS} none={none} />
      </Card>
    </>
  );
}

const COLUMNS: readonly Column<AuditRow>[] = [
  { title: 'When', isHead: true, cell: ({ at }) => <TimeWithDate at={at} /> },
  { title: 'Who', cell: ({ actor }) => actor },
  {
    title: 'What',
    cell: ({ action, target }) => (
      <>
        <Badge>{action}</Badge>
        <span class="block">
          <Code text={target} />
        </span>
      </>
    ),
  },
  { title: 'Change', cell: (row) => <Differences {...row} /> },
];

function Differences({ before, after }: AuditRow): VNode {
  const list = differencesOf(before, after);
  if (list.length === 0) return <>–</>;
  const items = (
    <ul class="changes">
      {list.map((one) => (
        <li>
          <span class="change-name">{one.name}</span>
          {one.before !== undefined && (
            <>
              <span class="visually-hidden"> was </span>
              <del>{one.before}</del>
            </>
          )}
          {one.after !== undefined && (
            <>
              <span class="visually-hidden"> is now </span>
              <ins>{one.after}</ins>
            </>
          )}
        </li>
      ))}
    </ul>
  );
  // A new object has many values, none of which was changed.
  if (list.length <= MAX_OPEN_ITEMS) return items;
  const words =
    before === null ? 'values of the new object' : after === null ? 'values that it had' : 'changes';
  return (
    <details>
      <summary>{`${list.length} ${words}`}</summary>
      {items}
    </details>
  );
}
