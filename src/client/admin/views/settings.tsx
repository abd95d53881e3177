import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Setting } from '../api/types.ts';
import { useView, type View } from '../context.ts';
import { badge, type Column, card, empty, type Tone, table } from '../parts/content.tsx';
import { field, useFilters } from '../parts/fields.tsx';
import { formatValue } from '../parts/format.ts';
import { loaded, useList } from '../parts/resource.tsx';

const MAX_CHARACTERS = 300;
const TONES: Readonly<Record<string, Tone>> = { default: 'plain', flag: 'note' };

/** Settings in force and where each comes from. */
export const settingsView: View = {
  title: 'Settings',
  lead: 'Settings in force on this node. They are changed in the configuration file, the environment or on the command line, and need a restart. Of a secret only the length is shown.',
  Content: SettingsPage,
};

function SettingsPage(): VNode {
  const hint = 'Part of a name, value, origin or environment variable';
  const [{ filter }, filters] = useFilters([{ name: 'filter', label: 'Filter', kind: 'search', hint }]);
  const [isChanged, setChanged] = useState(false);
  const changed = field(
    { name: 'changed', label: 'Only those that differ from their default', kind: 'check' },
    (_, isOn) => setChanged(isOn),
  );
  const fits = (setting: Setting): boolean =>
    (!isChanged || setting.origin !== 'default') && textOf(setting).includes(filter.toLowerCase());
  const all = loaded(useList<Setting>('/config'), (items) => <Found settings={items.filter(fits)} />);
  return card('All settings', [<div class="toolbar">{[filters, changed]}</div>, all]);
}

function Found({ settings }: { settings: readonly Setting[] }): VNode {
  const { announce } = useView();
  useEffect(() => announce(`${settings.length} settings`), [settings]);
  const none = empty(['No setting fits.', 'Clear the filter to see all.']);
  const found = { caption: 'Settings in force', columns: COLUMNS };
  return <div>{settings.length === 0 ? none : table(found, settings)}</div>;
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
    ...{ title: 'Setting', isHead: true },
    cell: ({ key, env }) => [<code>{key}</code>, <small class="block env">{env}</small>],
  },
  { title: 'Value', cell: (setting) => <span class="setting-value">{shownValue(setting)}</span> },
  { title: 'Origin', cell: ({ origin }) => badge(origin, TONES[origin] ?? 'accent') },
];
