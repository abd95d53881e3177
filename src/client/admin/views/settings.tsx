import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Setting } from '../api/types.ts';
import { useView, type View } from '../context.ts';
import { badge, card, empty, type Tone } from '../parts/content.tsx';
import { type FieldSpec, field, useFilters } from '../parts/fields.tsx';
import { formatValue } from '../parts/format.ts';
import { loaded, useList } from '../parts/resource.tsx';
import { type Column, column, head, table } from '../parts/table.tsx';

const MAX_CHARACTERS = 300;
const TONES: Readonly<Record<string, Tone>> = { default: 'plain', flag: 'note' };

/** Settings in force with their origins. */
export const settingsView: View = {
  title: 'Settings',
  lead: 'Settings in force on this node. They are changed in the configuration file, the environment or on the command line, and need a restart. Of a secret only the length is shown.',
  Content: SettingsPage,
};

function SettingsPage(): VNode {
  const hint = 'Part of a name, value, origin or environment variable';
  const [{ filter }, filters] = useFilters({
    filter: { label: 'Filter', kind: 'search', hint },
  });
  const [isChanged, setChanged] = useState(false);
  const only: FieldSpec = { label: 'Only those that differ from their default', kind: 'check' };
  const changed = field('changed', only, (_, isOn) => setChanged(isOn));
  const fits = (setting: Setting): boolean =>
    (!isChanged || setting.origin !== 'default') && textOf(setting).includes(filter.toLowerCase());
  const all = loaded(useList('GET /config', {}), (items) => <Found settings={items.filter(fits)} />);
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
  head('Setting', ({ key, env }) => [<code>{key}</code>, <small class="block env">{env}</small>]),
  column('Value', (setting) => <span class="setting-value">{shownValue(setting)}</span>),
  column('Origin', ({ origin }) => badge(origin, TONES[origin] ?? 'accent')),
];
