import type { VNode } from 'preact';
import { given, type InputOf } from '../../api/client.ts';
import type { View } from '../../context.ts';
import { card } from '../../parts/content.tsx';
import { revealSecret } from '../../parts/dialogs.tsx';
import { form } from '../../parts/form.tsx';
import { objectView } from '../../parts/resource.tsx';
import { appFields, readApp } from './app-fields.ts';

/** The form that registers an app. */
export const newAppView: View = objectView(
  'Register an app',
  ({ api, signal }) => api.call('GET /status', {}, { signal }),
  ({ profile }) => card('The app', [<p>{defaultsOf(profile)}</p>, registration(profile)]),
);

function registration(profile: string): VNode {
  const cancel = (
    <a class="button" href="#/apps">
      Cancel
    </a>
  );
  return form({
    fields: appFields(undefined, profile),
    action: 'Register',
    controls: cancel,
    async submit(values, { api, open, announce }) {
      const {
        app_id,
        name,
        client_secret,
        warnings = [],
      } = await api.call('POST /apps', given<InputOf<'POST /apps'>>(await readApp(values)));
      if (client_secret !== undefined) {
        const title = `${name} is registered`;
        await revealSecret({
          title,
          what: 'the client secret',
          label: 'Client secret',
          value: client_secret,
        });
      }
      open(`/apps/${encodeURIComponent(app_id)}`);
      announce([`${name} is registered.`, ...warnings].join(' '), 'good');
    },
  });
}

/** Returns the sentence on what this profile registers an app for that is not told otherwise. */
function defaultsOf(profile: string): string {
  return profile === 'production'
    ? 'In this profile (production) an app is registered for the response type code alone and with PKCE required, unless you choose otherwise; so are apps of the command line and the API.'
    : `In this profile (${profile}) apps of the command line and the API are registered for all response types and without PKCE required; in production for code alone and with PKCE required. This form begins with code alone.`;
}
