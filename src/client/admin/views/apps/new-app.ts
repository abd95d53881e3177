import { element } from '../../../dom.ts';
import type { App, ServiceStatus } from '../../api/types.ts';
import type { View } from '../../context.ts';
import { revealSecret } from '../../parts/dialogs.ts';
import { card } from '../../parts/feedback.ts';
import { form } from '../../parts/form.ts';
import { appForm } from './app-fields.ts';

/** The form that registers an app. */
export const newAppView: View = {
  title: 'Register an app',
  async render(context, target) {
    const { profile } = await context.api.get<ServiceStatus>('/status', {}, context.signal);
    const { fields, layout, read } = appForm(undefined, profile);
    const cancel = element('a', { class: 'button', href: '#/apps' }, 'Cancel');
    const node = form({
      ...{ fields, layout, action: 'Register', context, controls: [cancel] },
      async submit() {
        const app = await context.api.post<App>('/apps', { body: await read() });
        if (app.client_secret !== undefined) {
          await revealSecret({
            title: `${app.name} is registered`,
            text: 'Copy the client secret now: it is shown only this once, and the service keeps only a hash of it.',
            label: 'Client secret',
            value: app.client_secret,
          });
        }
        context.open(`/apps/${encodeURIComponent(app.app_id)}`);
        context.announce(`${app.name} is registered.`, 'good');
      },
    });
    target.append(card('The app', [element('p', {}, defaultsOf(profile)), node]));
  },
};

/** Returns the sentence on what this profile registers an app for that is not told otherwise. */
function defaultsOf(profile: string): string {
  return profile === 'production'
    ? 'In this profile (production) an app is registered for the response type code alone and with PKCE required, unless you choose otherwise; so are apps of the command line and the API.'
    : `In this profile (${profile}) apps of the command line and the API are registered for all response types and without PKCE required; in production for code alone and with PKCE required. This form begins with code alone.`;
}
