/** The views of the dashboard and their addresses. A view reads from the admin API and shows; it keeps nothing. */
import type { View } from '../context.ts';
import type { IconName } from '../parts/icons.tsx';
import { accessView } from './access.tsx';
import { appDetailView } from './apps/detail.tsx';
import { appsView } from './apps/list.tsx';
import { newAppView } from './apps/new-app.tsx';
import { auditView } from './audit.tsx';
import { keysView } from './keys/view.tsx';
import { refusalsView } from './refusals.tsx';
import { rootHistoryView } from './roots/history.tsx';
import { rootsView } from './roots/view.tsx';
import { settingsView } from './settings.tsx';
import { signupDetailView } from './signups/detail.tsx';
import { signupsView } from './signups/view.tsx';
import { statusView } from './status.tsx';
import { usageView } from './usage/view.tsx';
import { webhooksView } from './webhooks.tsx';

/** Entry of the navigation; its name is the first part of the address. */
export interface Destination {
  readonly name: IconName;
  readonly title: string;
  readonly view: View;
}

/** Entries of the navigation, in order. */
export const DESTINATIONS: readonly Destination[] = [
  { name: 'status', title: 'Status', view: statusView },
  { name: 'apps', title: 'Apps', view: appsView },
  { name: 'usage', title: 'Usage', view: usageView },
  { name: 'signups', title: 'Signups', view: signupsView },
  { name: 'keys', title: 'Keys', view: keysView },
  { name: 'roots', title: 'Roots', view: rootsView },
  { name: 'refusals', title: 'Refusals', view: refusalsView },
  { name: 'audit', title: 'Audit', view: auditView },
  { name: 'webhooks', title: 'Webhooks', view: webhooksView },
  { name: 'settings', title: 'Settings', view: settingsView },
  { name: 'access', title: 'Access', view: accessView },
];

/** Returns the view of an address; that of the status for an unknown one. */
export function findView(name: string, path: readonly string[]): View {
  const [object] = path;
  if (name === 'apps' && object !== undefined) return object === 'new' ? newAppView : appDetailView;
  if (name === 'signups' && object !== undefined) return signupDetailView;
  if (name === 'roots' && path.length > 1) return rootHistoryView;
  return DESTINATIONS.find((destination) => destination.name === name)?.view ?? statusView;
}
