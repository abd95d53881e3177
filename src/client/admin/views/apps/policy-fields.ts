import type { Policy } from '../../api/types.ts';
import type { FieldGroup } from '../../parts/fields.tsx';
import { type FormValues, linesOf } from '../../parts/form.tsx';

/** Returns the fields of the verification policy of an app, with its values or for a new app. */
export function policyFields(policy?: Policy): FieldGroup {
  return {
    legend: 'Verification policy',
    hint: 'Proofs that count for this app, whatever a request asks for. Without a tick: the environment of the app_id in production, else both, and every version.',
    fields: {
      'policy.environments': {
        label: 'Environments',
        kind: 'checks',
        value: policy?.environments ?? [],
        choices: {
          production: 'Production',
          staging: ['Staging', 'For tests: anybody can make staging identities.'],
        },
      },
      'policy.protocols': {
        label: 'Protocol versions',
        kind: 'checks',
        value: policy?.protocols ?? [],
        choices: { '3.0': 'World ID 3.0', '4.0': 'World ID 4.0' },
      },
      'policy.credentials': {
        label: 'Credentials',
        kind: 'lines',
        attributes: { rows: 2 },
        value: policy?.credentials?.join('\n') ?? '',
        hint: 'One per line: identifiers such as orb or passport, or numbers of issuers. Any if it is empty.',
      },
      'policy.maxRootAgeSeconds': {
        label: 'Maximum age of a root in seconds',
        value: policy?.maxRootAgeSeconds === undefined ? '' : String(policy.maxRootAgeSeconds),
        hint: 'For roots that are no longer current, 60 to 604,800. What the request or the settings allow if it is empty.',
        attributes: { inputmode: 'numeric' },
      },
      'policy.actions': {
        label: 'Actions',
        kind: 'lines',
        attributes: { rows: 2 },
        value: actionLines(policy),
        hint: 'The only actions that count, one per line. Any if it is empty.',
      },
      'policy.sessions': {
        label: 'Session proofs besides these actions',
        kind: 'check',
        value: takesSessions(policy),
        hint: 'They have no action, and are refused where actions are listed.',
      },
    },
  };
}

/** Proofs of sessions have the empty action. */
function takesSessions(policy: Policy | undefined): boolean {
  return policy?.actions?.includes('') ?? false;
}

function actionLines(policy: Policy | undefined): string {
  return policy?.actions?.filter((action) => action !== '').join('\n') ?? '';
}

/** Returns the policy as the form has it. @param before - That of the app, if it is known. */
export function readPolicy(values: FormValues, before?: Policy): Policy {
  const age = values.text('policy.maxRootAgeSeconds');
  const listed = values.lines('policy.actions');
  const isOn = values.isOn('policy.sessions');
  // Lines cannot hold every action, so that a list which nobody touched stays as it is.
  const isUntouched =
    listed.join('\n') === linesOf(actionLines(before)).join('\n') && isOn === takesSessions(before);
  const actions = isOn ? [...listed, ''] : listed;
  return {
    ...some('environments', values.chosen('policy.environments')),
    ...some('protocols', values.chosen('policy.protocols')),
    ...some('credentials', values.lines('policy.credentials').map(credentialOf)),
    ...(age === '' ? {} : { maxRootAgeSeconds: numberOf(age) }),
    ...(isUntouched && before?.actions !== undefined
      ? { actions: before.actions }
      : some('actions', actions)),
  } as Policy;
}

/** Issuers are numbers; those that a JSON number cannot hold stay digits. */
function credentialOf(text: string): string | number {
  const number = Number(text);
  return /^[1-9]\d*$/.test(text) && Number.isSafeInteger(number) ? number : text;
}

/** The service says what is wrong with a text that is no number. */
function numberOf(text: string): number | string {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

function some(member: string, values: readonly unknown[]): Record<string, unknown> {
  return values.length === 0 ? {} : { [member]: values };
}
