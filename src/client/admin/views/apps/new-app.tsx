import type { VNode } from 'preact';
import type { App, ServiceStatus } from '../../api/types.ts';
import { useView, type View } from '../../context.ts';
import { Card } from '../../parts/content.tsx';
import { revealSecret } from '../../parts/dialogs.tsx';
import { Form } from '../../parts/form.tsx';
import { Loaded, useResource } from '../../parts/resource.tsx';
import { appFields, readApp } from './app-fields.ts';

/** The form that registers an app. */
export const newAppView: View = { title: 'Register an app', Content: NewAppPage };

function NewAppPage(): VNode {
  const { api } = useView();
  const status = useResource((over) => api.get<ServiceStatus>('/status', {}, over));
  return (
    <Loaded from={status} isWhole>
      {({ profile }) => (
        <Card title="The app">
          <p>{defaultsOf(profile)}</p>
          <Form
            fields={appFields(undefined, profile)}
            action="Register"
            controls={
              <a class="button" href="#/apps">
                Cancel
              </a>
            }
            submit={async (values, context) => {
              const app = await context.api.post<App>('/apps', { body: await readApp(values) });
              if (app.client_secret !== undefined) {
                await revealSecret({
                  ...{ title: `${app.name} is registered`, what: 'the client secret' },
                  ...{ label: 'Client secret', value: app.client_secret },
                });
              }
              context.open(`/apps/${encodeURIComponent(app.app_id)}`);
              context.announce(`${app.name} is registered.`, 'good');
            }}
          />
        </Card>
      )}
    </Loaded>
  );
}

/** Returns the sentence on what this profile registers an app for that is not told otherwise. */
function defaultsOf(profile: string): string {
  return profile === 'production'
    ? 'In this profile (production) an app is registered for the response type code alone and with PKCE required, unless you choose otherwise; so are apps of the command line and the API.'
    : `In this profile (${profile}) apps of the command line and the API are registered for all response types and without PKCE required; in production for code alone and with PKCE required. This form begins with code alone.`;
}
