import { element } from '../../../dom.ts';
import type { Listed } from '../../api/client.ts';
import type { App } from '../../api/types.ts';
import type { View } from '../../context.ts';
import { badge, card, emptyState } from '../../parts/feedback.ts';
import { formField } from '../../parts/form.ts';
import { pager } from '../../parts/pager.ts';
import { type Column, code, link, table } from '../../parts/table.ts';
import { optionalTime } from '../../parts/time.ts';

const PAGE_ROWS = 50;
/** Time without a keystroke after which the search begins, in milliseconds. */
const SEARCH_DELAY_MS = 250;

/** Registered apps, with a search. */
export const appsView: View = {
  title: 'Apps',
  lead: 'Web sites and programs that verify proofs or let people sign in.',
  async render({ api, query, remember, signal, announce }, target) {
    const search = element('input', {
      ...{ type: 'search', name: 'search', value: query.get('search') ?? '', maxlength: '64' },
      ...{ autocomplete: 'off', spellcheck: 'false' },
    });
    const rows = pager<App>({
      ...{ name: 'apps', signal, announce },
      read: (cursor, ended) =>
        api.get<Listed<App>>('/apps', { search: search.value.trim(), cursor, limit: PAGE_ROWS }, ended),
      show(items) {
        if (items.length > 0) return [table('Registered apps, the latest first', COLUMNS, items)];
        return search.value.trim() === ''
          ? [
              emptyState(
                'No apps yet.',
                'Register the first one: it takes a name and, for sign-in, a redirect URI.',
                newLink(),
              ),
            ]
          : [emptyState('No app fits.', 'The search looks for a part of the name, the app_id or the rp_id.')];
      },
    });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const find = (): void => {
      remember({ search: search.value.trim() });
      void rows.load();
    };
    search.addEventListener('input', () => {
      clearTimeout(timer);
      timer = setTimeout(find, SEARCH_DELAY_MS);
    });
    signal.addEventListener('abort', () => clearTimeout(timer));
    const field = formField('search', 'Search', search, 'Part of a name, app_id or rp_id');
    target.append(
      card(
        'Registered apps',
        [element('div', { class: 'toolbar', role: 'search' }, field.node), rows.node],
        [newLink()],
      ),
    );
    await rows.load();
  },
};

function newLink(): HTMLElement {
  return element('a', { class: 'button primary', href: '#/apps/new' }, 'Register an app');
}

const COLUMNS: readonly Column<App>[] = [
  {
    title: 'Name',
    isHead: true,
    cell: (app) => [
      link(app.name, `/apps/${encodeURIComponent(app.app_id)}`),
      element('small', { class: 'block' }, kindOf(app)),
    ],
  },
  { title: 'app_id', kind: 'code', cell: ({ app_id }) => code(app_id, true) },
  { title: 'State', cell: (app) => element('span', { class: 'badges' }, ...appBadges(app)) },
  { title: 'Registered', cell: ({ created_at }) => optionalTime(created_at, 'in the configuration') },
];

/** Returns the badges that show the state of an app. */
export function appBadges({ app_id, status, version, development }: App): HTMLElement[] {
  return [
    status === 'active' ? badge('active', 'good') : badge('disabled', 'bad'),
    ...(app_id.startsWith('app_staging_') ? [badge('staging')] : []),
    ...(version === 0 ? [badge('configured')] : []),
    ...(development ? [badge('development', 'note')] : []),
  ];
}

function kindOf({ redirect_uris, token_endpoint_auth_method: method, application_type: type }: App): string {
  if (redirect_uris.length === 0) return 'verifies proofs only';
  return `${method === 'none' ? 'public' : 'confidential'} ${type} client`;
}
