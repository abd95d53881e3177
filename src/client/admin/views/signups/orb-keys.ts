import { element } from '../../../dom.ts';
import type { Listed } from '../../api/client.ts';
import type { OrbKey } from '../../api/types.ts';
import type { ViewContext } from '../../context.ts';
import { actionButton } from '../../parts/action-button.ts';
import { badge, card, emptyState, fill } from '../../parts/feedback.ts';
import { FieldError, form, formField } from '../../parts/form.ts';
import { type Column, code, table } from '../../parts/table.ts';
import { relativeTime } from '../../parts/time.ts';
import { importForm } from './import-form.ts';

const HINT =
  'A JSON list, or one record per line, each with orb_id and keys: a list of PEM texts (BEGIN PUBLIC KEY, curve secp256k1).';

/** Creates the cards of the keys of orbs: a look-up by orb, with revocation, and the import. */
export function orbKeyCards(context: ViewContext): HTMLElement[] {
  const { api, query, signal, remember } = context;
  const orb = element('input', {
    ...{ name: 'orb_id', class: 'mono', value: query.get('orb_id') ?? '', maxlength: '256' },
    ...{ spellcheck: 'false', autocomplete: 'off' },
  });
  const place = element('div');
  const load = async (): Promise<void> => {
    const id = orb.value.trim();
    if (id === '') return;
    await fill(place, signal, async () => {
      const { items } = await api.get<Listed<OrbKey>>('/orb-keys', { orb_id: id }, signal);
      if (items.length > 0) return [table(`Keys of orb ${id}`, columnsOf(id, context, load), items, true)];
      return [
        emptyState(
          `No key of orb ${id} is known.`,
          'Packages that it signed are refused. Import its key below.',
        ),
      ];
    });
  };
  const node = form({
    fields: [formField('orb_id', 'Orb', orb, 'orb_id, as in the enrolment records')],
    ...{ action: 'Show its keys', context, isReading: true },
    async submit() {
      if (orb.value.trim() === '') throw new FieldError('orb_id', 'Enter an orb_id.');
      remember({ orb_id: orb.value.trim() });
      await load();
    },
  });
  const importing = importForm({
    ...{ context, path: '/orb-keys', one: 'key', hint: HINT, action: 'Import the keys', onImported: load },
  });
  void load();
  return [card('Keys of an orb', [node, place]), card('Import keys of orbs', [importing])];
}

function columnsOf(orb: string, context: ViewContext, load: () => Promise<void>): Column<OrbKey>[] {
  return [
    { title: 'SHA-256 of the key', isHead: true, cell: ({ key_hash }) => code(key_hash, true) },
    { title: 'State', cell: ({ status }) => badge(status, status === 'active' ? 'good' : 'bad') },
    { title: 'Added', cell: ({ added_at }) => relativeTime(added_at) },
    {
      title: 'Key',
      cell: ({ pem }) =>
        element('details', {}, element('summary', {}, 'PEM'), element('pre', { class: 'pem' }, pem)),
    },
    {
      title: 'Action',
      kind: 'controls',
      cell: ({ key_hash: hash, status }) =>
        status === 'revoked'
          ? ''
          : actionButton({
              text: 'Revoke',
              context,
              attributes: { class: 'danger', 'aria-label': `Revoke key ${hash}` },
              question: {
                title: `Revoke this key of orb ${orb}?`,
                text: 'Permanently: every package that it signed is refused from now on, also those of people who enrolled long ago.',
                action: 'Revoke',
              },
              async run() {
                const path = `/orb-keys/${encodeURIComponent(orb)}/${hash}`;
                await context.api.patch(path, { body: { status: 'revoked' } });
                await load();
                return `The key of orb ${orb} is revoked.`;
              },
            }),
    },
  ];
}
