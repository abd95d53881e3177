import type { VNode } from 'preact';
import { given, type InputOf } from '../../api/client.ts';
import type { App, Policy, UsageDay } from '../../api/types.ts';
import { useView, type View } from '../../context.ts';
import { action, button } from '../../parts/action.tsx';
import { backLink, card, empty, facts, switchRow } from '../../parts/content.tsx';
import { form } from '../../parts/form.tsx';
import { loaded, objectView, useList } from '../../parts/resource.tsx';
import { code, lines } from '../../parts/table.tsx';
import { time } from '../../parts/time.tsx';
import { usageChart } from '../usage/usage-chart.tsx';
import { Actions } from './actions.tsx';
import { appFields, changesOf, readApp } from './app-fields.ts';
import { appBadges } from './list.tsx';
import { People } from './people.tsx';
import { Secrets } from './secrets.tsx';

const USAGE_DAYS = 30;
const CONFIGURED =
  'This app is defined by the setting apps.list. Change it in the configuration file and restart the service.';

/** One app: its settings, secrets, actions and counts. */
export const appDetailView: View = objectView(
  'App',
  async ({ api, path, signal, rename }) => {
    const app = await api.call('GET /apps/{app_id}', { app_id: path[0] ?? '' }, { signal });
    rename(app.name);
    return app;
  },
  (app) => {
    const isConfigured = app.version === 0;
    const isClient = app.redirect_uris.length + app.introspects.length > 0;
    const isConfidential = isClient && app.token_endpoint_auth_method !== 'none';
    return [
      backLink('/apps', '← All apps'),
      card('Overview', overview(app), !isConfigured && statusButton(app)),
      <Usage app={app} />,
      isConfidential && <Secrets app={app} />,
      app.redirect_uris.length > 0 && <People app={app} />,
      <Actions app={app} />,
      card('Change', isConfigured ? <p>{CONFIGURED}</p> : <EditForm app={app} />),
      !isConfigured && removal(app),
    ];
  },
);

function overview(app: App): VNode {
  const { app_id, rp_id, created_at, updated_at, redirect_uris: uris } = app;
  return facts(
    ['State', appBadges(app)],
    ['app_id', code(app_id)],
    ['rp_id', code(rp_id)],
    ['Relying party', app.verification],
    ['Policy', lines(policyLines(app.policy))],
    [
      'Redirect URIs',
      uris.length === 0 ? 'none: it only verifies proofs' : lines(uris.map((uri) => code(uri))),
    ],
    uris.length > 0 && ['Response types', responseTypesOf(app)],
    created_at !== null && ['Registered', time(created_at)],
    updated_at !== null && ['Changed', time(updated_at)],
  );
}

/** Returns what the verification policy of an app allows, a line for each member. */
function policyLines(policy: Policy): VNode[] {
  const { environments, protocols, credentials, maxRootAgeSeconds, actions } = policy;
  const texts = {
    environments,
    'protocol versions': protocols,
    credentials,
    roots: maxRootAgeSeconds === undefined ? undefined : [`at most ${maxRootAgeSeconds} s old`],
    actions: actions?.map((one) => one || 'sessions'),
    'session proofs': policy.sessionProofReuse === false ? ['not again'] : undefined,
  };
  return Object.entries(texts).flatMap(([name, values]) =>
    values === undefined ? [] : [<span>{`${name}: ${values.join(', ')}`}</span>],
  );
}

function responseTypesOf({ response_types, response_types_named }: App): string {
  const list = response_types.join(', ');
  return response_types_named ? list : `${list}, by default: a session answers code alone without asking`;
}

function statusButton({ app_id, name, status, version }: App): VNode {
  const isActive = status === 'active';
  const ask = [
    `Disable ${name}?`,
    'Its verifications and sign-ins are refused on every node within seconds. Nothing is deleted; you can enable it again.',
  ] as const;
  const change = { app_id, status: isActive ? 'disabled' : 'active' } as const;
  return action({
    text: isActive ? 'Disable' : 'Enable',
    ...(isActive ? { mood: 'danger', ask } : { mood: 'primary' }),
    run: ({ api }) => api.call('PATCH /apps/{app_id}', change, { version }),
    done: () => `${name} is ${isActive ? 'disabled' : 'enabled'}.`,
  });
}

/** Counts of an app by day. */
function Usage({ app }: { app: App }): VNode {
  const usage = useList('GET /apps/{app_id}/usage', { app_id: app.app_id, days: USAGE_DAYS });
  const text = 'Verifications and sign-ins of this app are counted here.';
  const none = empty([`No requests in the last ${USAGE_DAYS} days.`, text]);
  const show = (items: readonly UsageDay[]) => (items.length > 0 ? usageChart(items, USAGE_DAYS) : none);
  return card(`Usage in the last ${USAGE_DAYS} days`, loaded(usage, show, 'usage'));
}

function EditForm({ app }: { app: App }): VNode {
  const { reload } = useView();
  return form({
    fields: appFields(app),
    action: 'Save',
    controls: button('Reload', reload),
    async submit(values, { api, announce }) {
      const { app_id, version } = app;
      const changes = changesOf(await readApp(values, app), app);
      if (Object.keys(changes).length === 0) {
        announce('Nothing was changed.', 'good');
        return;
      }
      const { warnings = [] } = await api.call(
        'PATCH /apps/{app_id}',
        given<InputOf<'PATCH /apps/{app_id}'>>({ app_id, ...changes }),
        {
          version,
        },
      );
      reload();
      announce([`${app.name} is saved. Every node follows within seconds.`, ...warnings].join(' '), 'good');
    },
  });
}

function removal({ app_id, name, version }: App): VNode {
  const remove = action({
    text: 'Remove the app',
    mood: 'danger',
    ask: [
      `Remove ${name}?`,
      'Its settings and secrets are deleted for good and its people can no longer sign in there. Recorded nullifiers stay. To stop it for a while, disable it instead.',
      'Remove',
    ],
    run: ({ api }) => api.call('DELETE /apps/{app_id}', { app_id }, { version }),
    after: ({ open }) => open('/apps'),
    done: () => `${name} is removed.`,
  });
  const text = 'Deletes the app with its secrets. Recorded nullifiers stay, so that nobody can act twice.';
  return card('Remove', switchRow(remove, text));
}
