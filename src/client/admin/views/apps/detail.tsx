import type { VNode } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import type { App, Policy, UsageDay } from '../../api/types.ts';
import { useView, type View } from '../../context.ts';
import { Action, Button } from '../../parts/action.tsx';
import { BackLink, Card, Code, Empty, Facts } from '../../parts/content.tsx';
import { Form } from '../../parts/form.tsx';
import { Loaded, useList, useResource } from '../../parts/resource.tsx';
import { Time } from '../../parts/time.tsx';
import { Switch } from '../service-switches.tsx';
import { UsageChart } from '../usage/usage-chart.tsx';
import { Actions } from './actions.tsx';
import { appFields, changesOf, readApp } from './app-fields.ts';
import { AppBadges } from './list.tsx';
import { Secrets } from './secrets.tsx';

const USAGE_DAYS = 30;

/** One app: its settings, secrets, actions and counts. */
export const appDetailView: View = { title: 'App', Content: AppPage };

function AppPage(): VNode {
  const { api, path } = useView();
  const app = useResource((over) => api.get<App>(pathOf(path[0] ?? ''), {}, over));
  return (
    <Loaded from={app} isWhole>
      {(one) => <AppCards app={one} />}
    </Loaded>
  );
}

function pathOf(appId: string): string {
  return `/apps/${encodeURIComponent(appId)}`;
}

function AppCards({ app }: { app: App }): VNode {
  const { rename } = useView();
  useLayoutEffect(() => rename(app.name), []);
  const isConfigured = app.version === 0;
  return (
    <>
      <BackLink to="/apps">← All apps</BackLink>
      <Card title="Overview" controls={!isConfigured && <StatusButton app={app} />}>
        <Overview app={app} />
      </Card>
      <Usage app={app} />
      {app.redirect_uris.length > 0 && app.token_endpoint_auth_method !== 'none' && <Secrets app={app} />}
      <Actions app={app} />
      <Card title="Change">
        {isConfigured ? (
          <p>
            This app is defined by the setting apps.list. Change it in the configuration file and restart the
            service.
          </p>
        ) : (
          <EditForm app={app} />
        )}
      </Card>
      {!isConfigured && <Removal app={app} />}
    </>
  );
}

function Overview({ app }: { app: App }): VNode {
  const { app_id, rp_id, created_at, updated_at, redirect_uris: uris } = app;
  return (
    <Facts
      rows={[
        ['State', <AppBadges app={app} />],
        ['app_id', <Code text={app_id} />],
        ['rp_id', <Code text={rp_id} />],
        ['Relying party', app.verification],
        [
          'Policy',
          <Lines>
            {policyLines(app.policy).map((text) => (
              <span>{text}</span>
            ))}
          </Lines>,
        ],
        [
          'Redirect URIs',
          uris.length === 0 ? (
            'none: it only verifies proofs'
          ) : (
            <Lines>
              {uris.map((uri) => (
                <Code text={uri} />
              ))}
            </Lines>
          ),
        ],
        uris.length > 0 && ['Response types', responseTypesOf(app)],
        created_at !== null && ['Registered', <Time at={created_at} />],
        updated_at !== null && ['Changed', <Time at={updated_at} />],
      ]}
    />
  );
}

function Lines({ children }: { children: readonly VNode[] }): VNode {
  return <span class="lines">{[...children]}</span>;
}

/** Returns what the verification policy of an app allows, a line for each member. */
function policyLines(policy: Policy): string[] {
  const { environments, protocols, credentials, maxRootAgeSeconds, actions } = policy;
  return [
    `environments: ${environments.join(', ')}`,
    ...(protocols === undefined ? [] : [`protocol versions: ${protocols.join(', ')}`]),
    ...(credentials === undefined ? [] : [`credentials: ${credentials.join(', ')}`]),
    ...(maxRootAgeSeconds === undefined ? [] : [`roots: at most ${maxRootAgeSeconds} s old`]),
    ...(actions === undefined ? [] : [`actions: ${actions.map((one) => one || 'sessions').join(', ')}`]),
  ];
}

function responseTypesOf({ response_types, response_types_named }: App): string {
  const list = response_types.join(', ');
  return response_types_named ? list : `${list}, by default: a session answers code alone without asking`;
}

function StatusButton({ app }: { app: App }): VNode {
  const { app_id, name, status, version } = app;
  const isActive = status === 'active';
  const question = {
    title: `Disable ${name}?`,
    text: 'Its verifications and sign-ins are refused on every node within seconds. Nothing is deleted; you can enable it again.',
    action: 'Disable',
  };
  return (
    <Action
      text={isActive ? 'Disable' : 'Enable'}
      class={isActive ? 'danger' : 'primary'}
      question={isActive ? question : undefined}
      run={async ({ api, reload }) => {
        await api.patch(pathOf(app_id), { body: { status: isActive ? 'disabled' : 'active' }, version });
        reload();
        return `${name} is ${isActive ? 'disabled' : 'enabled'}.`;
      }}
    />
  );
}

/** Counts of an app by day. */
function Usage({ app }: { app: App }): VNode {
  const usage = useList<UsageDay>(`${pathOf(app.app_id)}/usage`, { days: USAGE_DAYS });
  return (
    <Card title={`Usage in the last ${USAGE_DAYS} days`}>
      <Loaded from={usage} class="usage">
        {(items) =>
          items.length > 0 ? (
            <UsageChart items={items} length={USAGE_DAYS} />
          ) : (
            <Empty
              title={`No requests in the last ${USAGE_DAYS} days.`}
              text="Verifications and sign-ins of this app are counted here."
            />
          )
        }
      </Loaded>
    </Card>
  );
}

function EditForm({ app }: { app: App }): VNode {
  const { reload } = useView();
  return (
    <Form
      fields={appFields(app)}
      action="Save"
      controls={<Button press={reload}>Reload</Button>}
      submit={async (values, { api, announce }) => {
        const body = changesOf(await readApp(values, app), app);
        if (Object.keys(body).length === 0) {
          announce('Nothing was changed.', 'good');
          return;
        }
        await api.patch(pathOf(app.app_id), { body, version: app.version });
        reload();
        announce(`${app.name} is saved. Every node follows within seconds.`, 'good');
      }}
    />
  );
}

function Removal({ app: { app_id, name, version } }: { app: App }): VNode {
  const remove = (
    <Action
      text="Remove the app"
      class="danger"
      question={{
        title: `Remove ${name}?`,
        text: 'Its settings and secrets are deleted for good and its people can no longer sign in there. Recorded nullifiers stay. To stop it for a while, disable it instead.',
        action: 'Remove',
      }}
      run={async ({ api, open }) => {
        await api.remove(pathOf(app_id), { version });
        open('/apps');
        return `${name} is removed.`;
      }}
    />
  );
  return (
    <Card title="Remove">
      <Switch action={remove}>
        Deletes the app with its secrets. Recorded nullifiers stay, so that nobody can act twice.
      </Switch>
    </Card>
  );
}
