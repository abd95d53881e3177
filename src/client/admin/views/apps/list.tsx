import type { VNode } from 'preact';
import type { App } from '../../api/types.ts';
import type { View } from '../../context.ts';
import { badge, card, link, stateBadge } from '../../parts/content.tsx';
import { type FieldSpec, useFilters } from '../../parts/fields.tsx';
import { pagedList, usePages } from '../../parts/resource.tsx';
import { type Column, code, codes, column, head, small } from '../../parts/table.tsx';
import { time } from '../../parts/time.tsx';

/** Time without a keystroke after which the search begins, in milliseconds. */
const SEARCH_DELAY_MS = 250;
const SEARCH: FieldSpec = {
  label: 'Search',
  kind: 'search',
  hint: 'Part of a name, app_id or rp_id',
  attributes: { maxlength: 64, spellcheck: false },
};

/** Registered apps, with a search. */
export const appsView: View = {
  title: 'Apps',
  lead: 'Web sites and programs that verify proofs or let people sign in.',
  Content: AppsPage,
};

function AppsPage(): VNode {
  const [query, filters] = useFilters({ search: SEARCH }, SEARCH_DELAY_MS);
  const rows = usePages('GET /apps', { name: 'apps', input: query, limit: 50 });
  const register = (
    <a class="button primary" href="#/apps/new">
      Register an app
    </a>
  );
  const empty =
    query.search === ''
      ? ({
          none: ['No apps yet.', 'Register the first one: it takes a name and, for sign-in, a redirect URI.'],
          step: register,
        } as const)
      : ({
          none: ['No app fits.', 'The search looks for a part of the name, the app_id or the rp_id.'],
        } as const);
  const shown = pagedList(rows, { caption: 'Registered apps, the latest first', columns: COLUMNS, ...empty });
  return card('Registered apps', [<search class="toolbar">{filters}</search>, shown], register);
}

const COLUMNS: readonly Column<App>[] = [
  head('Name', (app) => [link(`/apps/${encodeURIComponent(app.app_id)}`, app.name), small(kindOf(app))]),
  codes('app_id', ({ app_id }) => code(app_id, true)),
  column('State', appBadges),
  column('Registered', ({ created_at }) => time(created_at, 'in the configuration')),
];

/** Returns the badges that show the state of an app. */
export function appBadges({ app_id, status, version, development }: App): VNode {
  const badges = [
    stateBadge(status === 'active', 'active', 'disabled'),
    app_id.startsWith('app_staging_') && badge('staging'),
    version === 0 && badge('configured'),
    development && badge('development', 'note'),
  ];
  return <span class="badges">{badges}</span>;
}

function kindOf({
  redirect_uris,
  introspects,
  token_endpoint_auth_method: method,
  application_type: type,
}: App): string {
  if (redirect_uris.length === 0)
    return introspects.length === 0 ? 'verifies proofs only' : 'introspects tokens';
  return `${method === 'none' ? 'public' : 'confidential'} ${type} client`;
}
