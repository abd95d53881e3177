import { element, facts } from '../../../dom.ts';
import type { App, Policy } from '../../api/types.ts';
import type { View, ViewContext } from '../../context.ts';
import { actionButton } from '../../parts/action-button.ts';
import { card, skeleton } from '../../parts/feedback.ts';
import { form } from '../../parts/form.ts';
import { code, link } from '../../parts/table.ts';
import { relativeTime } from '../../parts/time.ts';
import { actionsCard } from './actions.ts';
import { appForm, changesOf } from './app-fields.ts';
import { appBadges } from './list.ts';
import { secretsCard } from './secrets.ts';
import { usageCard } from './usage.ts';

/** One app: its settings, secrets, actions and counts. */
export const appDetailView: View = {
  title: 'App',
  async render(context, target) {
    const { api, path, signal, rename } = context;
    target.append(skeleton(6));
    const app = await api.get<App>(`/apps/${encodeURIComponent(path[0] ?? '')}`, {}, signal);
    rename(app.name);
    const isConfigured = app.version === 0;
    target.replaceChildren(
      element('nav', { 'aria-label': 'Place', class: 'crumbs' }, link('← All apps', '/apps')),
      card('Overview', [overview(app)], isConfigured ? [] : [statusButton(app, context)]),
      usageCard(app, context),
      ...(app.redirect_uris.length > 0 && app.token_endpoint_auth_method !== 'none'
        ? [secretsCard(app, context)]
        : []),
      actionsCard(app, context),
      isConfigured ? configuredCard() : editCard(app, context),
      ...(isConfigured ? [] : [removalCard(app, context)]),
    );
  },
};

function overview(app: App): HTMLElement {
  const { app_id, rp_id, created_at, updated_at, redirect_uris: uris } = app;
  return facts(
    ['State', element('span', { class: 'badges' }, ...appBadges(app))],
    ['app_id', code(app_id)],
    ['rp_id', code(rp_id)],
    ['Relying party', app.verification],
    ['Policy', element('span', { class: 'lines' }, ...policyLines(app.policy))],
    [
      'Redirect URIs',
      uris.length === 0
        ? 'none: it only verifies proofs'
        : element('span', { class: 'lines' }, ...uris.map((uri) => code(uri))),
    ],
    ...(uris.length === 0 ? [] : ([['Response types', responseTypesOf(app)]] as const)),
    ...(created_at === null ? [] : ([['Registered', relativeTime(created_at)]] as const)),
    ...(updated_at === null ? [] : ([['Changed', relativeTime(updated_at)]] as const)),
  );
}

/** Returns what the verification policy of an app allows, a line for each member. */
function policyLines({
  environments,
  protocols,
  credentials,
  maxRootAgeSeconds,
  actions,
}: Policy): HTMLElement[] {
  const texts = [
    `environments: ${environments.join(', ')}`,
    ...(protocols === undefined ? [] : [`protocol versions: ${protocols.join(', ')}`]),
    ...(credentials === undefined ? [] : [`credentials: ${credentials.join(', ')}`]),
    ...(maxRootAgeSeconds === undefined ? [] : [`roots: at most ${maxRootAgeSeconds} s old`]),
    ...(actions === undefined ? [] : [`actions: ${actions.map((one) => one || 'sessions').join(', ')}`]),
  ];
  return texts.map((text) => element('span', {}, text));
}

function responseTypesOf({ response_types, response_types_named }: App): string {
  const list = response_types.join(', ');
  return response_types_named ? list : `${list}, by default: a session answers code alone without asking`;
}

function statusButton({ app_id, name, status, version }: App, context: ViewContext): HTMLElement {
  const isActive = status === 'active';
  return actionButton({
    text: isActive ? 'Disable' : 'Enable',
    context,
    attributes: { class: isActive ? 'danger' : 'primary' },
    ...(isActive
      ? {
          question: {
            title: `Disable ${name}?`,
            text: 'Its verifications and sign-ins are refused on every node within seconds. Nothing is deleted; you can enable it again.',
            action: 'Disable',
          },
        }
      : {}),
    async run() {
      const body = { status: isActive ? 'disabled' : 'active' };
      await context.api.patch(`/apps/${encodeURIComponent(app_id)}`, { body, version });
      context.reload();
      return `${name} is ${isActive ? 'disabled' : 'enabled'}.`;
    },
  });
}

function editCard(app: App, context: ViewContext): HTMLElement {
  const { fields, layout, read } = appForm(app);
  const reload = element('button', { type: 'button' }, 'Reload');
  reload.addEventListener('click', () => context.reload());
  const node = form({
    ...{ fields, layout, action: 'Save', context, controls: [reload] },
    async submit() {
      const body = changesOf(await read(), app);
      if (Object.keys(body).length === 0) {
        context.announce('Nothing was changed.', 'good');
        return;
      }
      const path = `/apps/${encodeURIComponent(app.app_id)}`;
      await context.api.patch(path, { body, version: app.version });
      context.reload();
      context.announce(`${app.name} is saved. Every node follows within seconds.`, 'good');
    },
  });
  return card('Change', [node]);
}

function configuredCard(): HTMLElement {
  const text =
    'This app is defined by the setting apps.list. Change it in the configuration file and restart the service.';
  return card('Change', [element('p', {}, text)]);
}

function removalCard({ app_id, name, version }: App, context: ViewContext): HTMLElement {
  const remove = actionButton({
    text: 'Remove the app',
    context,
    attributes: { class: 'danger' },
    question: {
      title: `Remove ${name}?`,
      text: 'Its settings and secrets are deleted for good and its people can no longer sign in there. Recorded nullifiers stay. To stop it for a while, disable it instead.',
      action: 'Remove',
    },
    async run() {
      await context.api.remove(`/apps/${encodeURIComponent(app_id)}`, { version });
      context.open('/apps');
      return `${name} is removed.`;
    },
  });
  const text = 'Deletes the app with its secrets. Recorded nullifiers stay, so that nobody can act twice.';
  return card('Remove', [element('div', { class: 'switch' }, element('p', {}, text), remove)]);
}
