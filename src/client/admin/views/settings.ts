import { element } from '../../dom.ts';
import type { Listed } from '../api/client.ts';
import type { Setting } from '../api/types.ts';
import type { View } from '../context.ts';
import { badge, card, emptyState, fill, type Tone } from '../parts/feedback.ts';
import { checkbox, formField } from '../parts/form.ts';
import { formatValue } from '../parts/format.ts';
import { type Column, table } from '../parts/table.ts';

const MAX_CHARACTERS = 300;
const TONES: Readonly<Record<string, Tone>> = { default: 'plain', flag: 'note' };

/** Settings in force and where each comes from. */
export const settingsView: View = {
  title: 'Settings',
  lead: 'Settings in force on this node. They are changed in the configuration file, the environment or on the command line, and need a restart. Of a secret only the length is shown.',
  async render({ api, query, remember, signal, announce }, target) {
    const search = element('input', {
      type: 'search',
      value: query.get('filter') ?? '',
      autocomplete: 'off',
    });
    const changed = checkbox('changed', 'Only those that differ from their default', '', false);
    const place = element('div');
    target.append(
      card('All settings', [
        element(
          'div',
          { class: 'toolbar' },
          formField('filter', 'Filter', search, 'Part of a name, value, origin or environment variable').node,
          changed.node,
        ),
        place,
      ]),
    );
    await fill(place, signal, async () => {
      const { items } = await api.get<Listed<Setting>>('/config', {}, signal);
      const list = element('div');
      const draw = (): void => {
        const words = search.value.trim().toLowerCase();
        const isChanged = changed.control instanceof HTMLInputElement && changed.control.checked;
        const found = items.filter(
          (setting) => (!isChanged || setting.origin !== 'default') && textOf(setting).includes(words),
        );
        const none = emptyState('No setting fits.', 'Clear the filter to see all.');
        list.replaceChildren(found.length === 0 ? none : table('Settings in force', COLUMNS, found));
        announce(`${found.length} settings`);
      };
      search.addEventListener('input', () => {
        remember({ filter: search.value.trim() });
        draw();
      });
      changed.control.addEventListener('change', draw);
      draw();
      return [list];
    });
  },
};

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
    cell: ({ key, env }) => [element('code', {}, key), element('small', { class: 'block env' }, env)],
  },
  { title: 'Value', cell: (setting) => element('span', { class: 'setting-value' }, shownValue(setting)) },
  { title: 'Origin', cell: ({ origin }) => badge(origin, TONES[origin] ?? 'accent') },
];
