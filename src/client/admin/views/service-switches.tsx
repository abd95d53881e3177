import type { ComponentChildren, VNode } from 'preact';
import { useView, type ViewContext } from '../context.ts';
import { Action } from '../parts/action.tsx';
import { Badge, Card, Small } from '../parts/content.tsx';
import type { FieldSpec } from '../parts/fields.tsx';
import { Form } from '../parts/form.tsx';
import { formatAmount } from '../parts/format.ts';
import { Loaded, useResource } from '../parts/resource.tsx';

interface RefreshState {
  readonly enabled: boolean;
}

/** The switch of credential refresh, and the button that sweeps the store. */
export function ServiceSwitches(): VNode {
  const { api } = useView();
  const refresh = useResource((over) => api.get<RefreshState>('/refresh', {}, over));
  return (
    <Loaded from={refresh}>
      {({ enabled }) => (
        <Card title="Service">
          <Switch action={<RefreshSwitch isOn={enabled} />}>
            Issuance of credentials <Badge tone={enabled ? 'good' : 'note'}>{enabled ? 'on' : 'off'}</Badge>
          </Switch>
          <Switch action={<Action text="Sweep now" run={sweep} />}>
            Expired rows are removed periodically
            <Small>Sweep by hand only to free space at once.</Small>
          </Switch>
        </Card>
      )}
    </Loaded>
  );
}

/** A text with the button that it is about. */
export function Switch({ action, children }: { action: VNode; children: ComponentChildren }): VNode {
  return (
    <div class="switch">
      <p>{children}</p>
      {action}
    </div>
  );
}

function RefreshSwitch({ isOn }: { isOn: boolean }): VNode {
  const next = isOn ? 'Switch off' : 'Switch on';
  return (
    <Action
      text={next}
      class={isOn ? 'danger' : undefined}
      question={{
        title: `${next} the issuance of credentials?`,
        text: isOn
          ? 'No node issues credentials until you switch it on again. Credentials that were issued stay valid.'
          : 'All nodes issue credentials again, if the setting refresh.enabled is true.',
        action: next,
      }}
      run={async ({ api, reload }) => {
        await api.patch('/refresh', { body: { enabled: !isOn } });
        reload();
        return `The issuance of credentials is switched ${isOn ? 'off' : 'on'}.`;
      }}
    />
  );
}

async function sweep({ api }: ViewContext): Promise<string> {
  const { removed } = await api.post<{ readonly removed: Record<string, number> }>('/sweep', { body: {} });
  const rows = Object.values(removed).reduce((sum, count) => sum + count, 0);
  return rows === 0 ? 'No expired rows were found.' : `Removed ${formatAmount(rows, 'expired row')}.`;
}

const TOKEN: FieldSpec = {
  ...{ name: 'token', label: 'Access token', kind: 'lines', attributes: { rows: 3 } },
  hint: 'An access token that was lost or stolen. It is refused by introspection and user information until it expires.',
};

/** The form that revokes an access token of a person. */
export function RevokeForm(): VNode {
  return (
    <Form
      fields={[TOKEN]}
      action="Revoke"
      isDanger
      submit={async (values, { api, announce }) => {
        const body = { token: values.text('token') };
        const { revoked } = await api.post<{ readonly revoked: boolean }>('/tokens/revoke', { body });
        values.set('token', '');
        announce(revoked ? 'The access token is revoked.' : 'The access token had already expired.', 'good');
      }}
    />
  );
}
