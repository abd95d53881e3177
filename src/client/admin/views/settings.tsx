import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Setting } from '../api/types.ts';
import { useView, type View } from '../context.ts';
import { Badge, Card, Empty, type Tone } from '../parts/content.tsx';
import { Field } from '../parts/fields.tsx';
import { formatValue } from '../parts/format.ts';
import { Loaded, useList } from '../parts/resource.tsx';
import { type Column, Table } from '../parts/table.tsx';

const MAX_CHARACTERS = 300;
const TONES: Readonly<Record<string, Tone>> = { default: 'plain', flag: 'note' };

/** Settings in force and where each comes from. */
export const settingsView: View = {
  title: 'Settings',
  lead: 'Settings in force on this node. They are changed in the configuration file, the environment or on the command line, and need a restart. Of a secret only the length is shown.',
  Content: SettingsPage,
};

function SettingsPage(): VNode {
  const { query, remember } = useView();
  const [filter, setFilter] = useState(query.get('filter') ?? '');
  const [isChanged, setChanged] = useState(false);
  const settings = useList<Setting>('/config');
  const search = (words: string): void => {
    remember({ filter: words.trim() });
    setFilter(words.trim());
  };
  return (
    <Card title="All settings">
      <div class="toolbar">
        <Field
          spec={{
            ...{ name: 'filter', label: 'Filter', kind: 'search', value: query.get('filter') ?? '' },
            hint: 'Part of a name, value, origin or environment variable',
          }}
          onValue={search}
        />
        <Field
          spec={{ name: 'changed', label: 'Only those that differ from their default', kind: 'check' }}
          onValue={(_, isOn) => setChanged(isOn)}
        />
      </div>
      <Loaded from={settings}>
        {(all) => (
          <Found
            settings={all.filter(
              (setting) =>
                (!isChanged || setting.origin !== 'default') &&
                textOf(setting).includes(filter.toLowerCase()),
            )}
          />
        )}
      </Loaded>
    </Card>
  );
}

function Found({ settings }: { settings: readonly Setting[] }): VNode {
  const { announce } = useView();
  useEffect(() => announce(`${settings.length} settings`), [settings]);
  return (
    <div>
      {settings.length === 0 ? (
        <Empty title="No setting fits." text="Clear the filter to see all." />
      ) : (
        <Table caption="Settings in force" columns={COLUMNS} rows={settings} />
      )}
    </div>
  );
}

function textOf({ key, value, origin, env }: Setting): string {
  return `${key} ${formatValue(value)} ${origin} ${env}`.toLowerCase();
}

function shownValue({ value, unit, missing }: Setting): string {
  if (value === null) return missing === null ? 'not set' : `not set: needs ${missing}`;
  const text = formatValue(value);
  const shown = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
  return unit === null ? shown : `${shown} ${unit}`;
}

const COLUMNS: readonly Column<Setting>[] = [
  {
    title: 'Setting',
    isHead: true,
    cell: ({ key, env }) => (
      <>
        <code>{key}</code>
        <small class="block env">{env}</small>
      </>
    ),
  },
  { title: 'Value', cell: (setting) => <span class="setting-value">{shownValue(setting)}</span> },
  { title: 'Origin', cell: ({ origin }) => <Badge tone={TONES[origin] ?? 'accent'}>{origin}</Badge> },
];
