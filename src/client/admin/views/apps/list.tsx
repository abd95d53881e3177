import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { App } from '../../api/types.ts';
import { useView, type View } from '../../context.ts';
import { Badge, Card, Code, Empty, Link, Small } from '../../parts/content.tsx';
import { Field } from '../../parts/fields.tsx';
import { PagedList, usePages } from '../../parts/resource.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';

/** Time without a keystroke after which the search begins, in milliseconds. */
const SEARCH_DELAY_MS = 250;

/** Registered apps, with a search. */
export const appsView: View = {
  title: 'Apps',
  lead: 'Web sites and programs that verify proofs or let people sign in.',
  Content: AppsPage,
};

function AppsPage(): VNode {
  const { query, remember } = useView();
  const [search, setSearch] = useState(query.get('search') ?? '');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const rows = usePages<App>({ name: 'apps', path: '/apps', query: { search }, limit: 50 });
  const find = (text: string): void => {
    remember({ search: text });
    setSearch(text);
  };
  const type = (text: string): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => find(text.trim()), SEARCH_DELAY_MS);
  };
  const register = (
    <a class="button primary" href="#/apps/new">
      Register an app
    </a>
  );
  const none =
    search === '' ? (
      <Empty
        title="No apps yet."
        text="Register the first one: it takes a name and, for sign-in, a redirect URI."
      >
        {register}
      </Empty>
    ) : (
      <Empty title="No app fits." text="The search looks for a part of the name, the app_id or the rp_id." />
    );
  return (
    <Card title="Registered apps" controls={register}>
      <search class="toolbar">
        <Field
          spec={{
            ...{ name: 'search', label: 'Search', kind: 'search', value: query.get('search') ?? '' },
            hint: 'Part of a name, app_id or rp_id',
            attributes: { maxlength: 64, spellcheck: false },
          }}
          onValue={type}
        />
      </search>
      <PagedList of={rows} caption="Registered apps, the latest first" columns={COLUMNS} none={none} />
    </Card>
  );
}

const COLUMNS: readonly Column<App>[] = [
  {
    title: 'Name',
    isHead: true,
    cell: (app) => (
      <>
        <Link to={`/apps/${encodeURIComponent(app.app_id)}`}>{app.name}</Link>
        <Small>{kindOf(app)}</Small>
      </>
    ),
  },
  { title: 'app_id', kind: 'code', cell: ({ app_id }) => <Code text={app_id} isShort /> },
  { title: 'State', cell: (app) => <AppBadges app={app} /> },
  { title: 'Registered', cell: ({ created_at }) => <Time at={created_at} none="in the configuration" /> },
];

/** The badges that show the state of an app. */
export function AppBadges({ app }: { app: App }): VNode {
  const isActive = app.status === 'active';
  return (
    <span class="badges">
      <Badge tone={isActive ? 'good' : 'bad'}>{isActive ? 'active' : 'disabled'}</Badge>
      {app.app_id.startsWith('app_staging_') && <Badge>staging</Badge>}
      {app.version === 0 && <Badge>configured</Badge>}
      {app.development && <Badge tone="note">development</Badge>}
    </span>
  );
}

function kindOf({ redirect_uris, token_endpoint_auth_method: method, application_type: type }: App): string {
  if (redirect_uris.length === 0) return 'verifies proofs only';
  return `${method === 'none' ? 'public' : 'confidential'} ${type} client`;
}
