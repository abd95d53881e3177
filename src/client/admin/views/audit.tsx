import type { ComponentChildren, VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { AuditRow } from '../api/types.ts';
import { useView, type View } from '../context.ts';
import { badge, card, details } from '../parts/content.tsx';
import { type FieldSpec, field } from '../parts/fields.tsx';
import { valuesOf } from '../parts/form.tsx';
import { type Difference, differencesOf } from '../parts/format.ts';
import { pagedList, usePages } from '../parts/resource.tsx';
import { type Column, code, column, head, line } from '../parts/table.tsx';
import { timeWithDate } from '../parts/time.tsx';

const MAX_OPEN_ITEMS = 4;
const FILTERS: Readonly<Record<string, FieldSpec>> = {
  actor: { label: 'Who', kind: 'search', hint: 'For example cli:root or api:config' },
  action: { label: 'Action', kind: 'search', hint: 'For example app.updated' },
  target: { label: 'Object', kind: 'search', hint: 'For example an app_id' },
};

/** The audit log: changes with actor and time. */
export const auditView: View = {
  title: 'Audit',
  lead: 'Every change, the latest first, whether from this page, the API, the command line or the configuration. Rows are never changed; proofgate audit verify proves it.',
  Content: AuditPage,
};

function filtersOf(read: (name: string) => string | null): Record<string, string> {
  return Object.fromEntries(Object.keys(FILTERS).map((name) => [name, read(name)?.trim() ?? '']));
}

function AuditPage(): VNode {
  const { query, remember } = useView();
  const form = useRef<HTMLFormElement>(null);
  /** Filters of the list: an edited field applies once it is submitted. */
  const [chosen, setChosen] = useState(() => filtersOf((name) => query.get(name)));
  const rows = usePages('GET /audit', { name: 'changes', input: chosen, limit: 50 });
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
  const filters = (
    // biome-ignore lint/a11y/useSemanticElements: the element search cannot be submitted
    <form ref={form} class="filters" aria-label="Filters" role="search" onSubmit={send}>
      {Object.entries(FILTERS).map(([name, spec]) => field(name, { ...spec, value: query.get(name) ?? '' }))}
      <div class="buttons">
        <button type="submit" class="primary">
          Filter
        </button>
        <button type="button" onClick={clear}>
          Clear
        </button>
      </div>
    </form>
  );
  const isFiltered = Object.values(chosen).some((value) => value !== '');
  const none = isFiltered
    ? (['No change fits.', 'The filters compare whole values. Clear one of them.'] as const)
    : (['No changes yet.', 'Whatever you change is listed here.'] as const);
  const changes = pagedList(rows, { caption: 'Changes, the latest first', columns: COLUMNS, none });
  return <>{[card('Filters', filters), card('Changes', changes)]}</>;
}

const COLUMNS: readonly Column<AuditRow>[] = [
  head('When', ({ at }) => timeWithDate(at)),
  column('Who', ({ actor }) => actor),
  column('What', ({ action, target }) => [badge(action), line(code(target))]),
  column('Change', differences),
];

function differences({ before, after }: AuditRow): ComponentChildren {
  const changes = differencesOf(before, after);
  if (changes.length === 0) return '–';
  const items = <ul class="changes">{changes.map(difference)}</ul>;
  // A new object has many values, none of which was changed.
  if (changes.length <= MAX_OPEN_ITEMS) return items;
  const words =
    before === null ? 'values of the new object' : after === null ? 'values that it had' : 'changes';
  return details(`${changes.length} ${words}`, items);
}

function difference({ name, before, after }: Difference): VNode {
  const was = before !== undefined && [hidden(' was '), <del>{before}</del>];
  const is = after !== undefined && [hidden(' is now '), <ins>{after}</ins>];
  return <li>{[<span class="change-name">{name}</span>, was, is]}</li>;
}

function hidden(text: string): VNode {
  return <span class="visually-hidden">{text}</span>;
}
