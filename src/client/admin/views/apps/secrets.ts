import { element } from '../../../dom.ts';
import type { Listed } from '../../api/client.ts';
import type { App, Secret } from '../../api/types.ts';
import type { ViewContext } from '../../context.ts';
import { actionButton } from '../../parts/action-button.ts';
import { revealSecret } from '../../parts/dialogs.ts';
import { card, emptyState, fill } from '../../parts/feedback.ts';
import { form, formField, select } from '../../parts/form.ts';
import { code, table } from '../../parts/table.ts';
import { optionalTime } from '../../parts/time.ts';

const OVERLAPS = [
  ['0', 'not at all'],
  ['3600', '1 hour'],
  ['86400', '1 day'],
  ['604800', '7 days'],
  ['2592000', '30 days'],
] as const;

/** Creates the card of the client secrets of an app. */
export function secretsCard(app: App, context: ViewContext): HTMLElement {
  const { api, signal } = context;
  const base = `/apps/${encodeURIComponent(app.app_id)}/secrets`;
  const list = element('div');
  const load = (): Promise<void> =>
    fill(list, signal, async () => {
      const { items } = await api.get<Listed<Secret>>(base, {}, signal);
      const none = emptyState('No secret.', 'The app cannot redeem codes until you give it one.');
      return items.length === 0 ? [none] : [secretTable(items)];
    });

  function secretTable(secrets: readonly Secret[]): HTMLElement {
    return table(
      'Live client secrets, the oldest first',
      [
        { title: 'Secret', isHead: true, cell: ({ secret_id }) => code(secret_id, true) },
        { title: 'Made', cell: ({ created_at }) => optionalTime(created_at, 'unknown') },
        { title: 'Expires', cell: ({ expires_at }) => optionalTime(expires_at, 'never') },
        { title: 'Action', kind: 'controls', cell: removeButton },
      ],
      secrets,
    );
  }

  function removeButton({ secret_id: id }: Secret): HTMLElement | string {
    if (app.version === 0) return '';
    return actionButton({
      text: 'Remove',
      context,
      attributes: { class: 'danger', 'aria-label': `Remove secret ${id}` },
      question: {
        title: 'Remove this secret?',
        text: 'It stops working within seconds. Make sure that the app already uses another one.',
        action: 'Remove',
      },
      async run() {
        await api.remove(`${base}/${encodeURIComponent(id)}`);
        await load();
        return 'The secret is removed.';
      },
    });
  }

  void load();
  return card('Client secrets', [list, ...(app.version === 0 ? [] : [rotation(app, base, context, load)])]);
}

function rotation({ name }: App, base: string, context: ViewContext, load: () => Promise<void>): HTMLElement {
  const overlap = select(OVERLAPS, '86400');
  const hint = 'Both secrets work during this time, so that the app can be changed without an interruption.';
  return form({
    fields: [formField('overlap_seconds', 'The old secret stays valid for', overlap, hint)],
    ...{ action: 'Rotate the secret', context },
    async submit() {
      const { client_secret: value } = await context.api.post<{ readonly client_secret: string }>(base, {
        body: { overlap_seconds: Number(overlap.value) },
      });
      await revealSecret({
        title: `New secret of ${name}`,
        text: 'Copy it now: it is shown only this once, and the service keeps only a hash of it.',
        label: 'Client secret',
        value,
      });
      await load();
      context.announce('The secret is rotated.', 'good');
    },
  });
}
