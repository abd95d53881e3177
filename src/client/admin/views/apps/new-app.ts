import { element } from '../../../dom.ts';
import type { App } from '../../api/types.ts';
import type { View } from '../../context.ts';
import { revealSecret } from '../../parts/dialogs.ts';
import { card } from '../../parts/feedback.ts';
import { form } from '../../parts/form.ts';
import { appForm } from './app-fields.ts';

/** The form that registers an app. */
export const newAppView: View = {
  title: 'Register an app',
  render(context, target) {
    const { fields, layout, read } = appForm();
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
    target.append(card('The app', [node]));
  },
};
