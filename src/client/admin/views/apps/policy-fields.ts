import { element } from '../../../dom.ts';
import type { Policy } from '../../api/types.ts';
import { checkbox, checkedIn, choiceGroup, type FormField, formField } from '../../parts/form.ts';

const ENVIRONMENTS = [
  ['production', 'Production'],
  ['staging', 'Staging', 'For tests: anybody can make staging identities.'],
] as const;
const PROTOCOLS = [
  ['3.0', 'World ID 3.0'],
  ['4.0', 'World ID 4.0'],
] as const;

/** Fields of the verification policy of an app. */
export interface PolicyForm {
  readonly fields: readonly FormField[];
  readonly node: Node;
  /** Returns the policy as the form has it. */
  read(): Policy | Omit<Policy, 'environments'>;
}

/** Creates the fields, with the values of a policy or for a new app. */
export function policyForm(policy?: Policy): PolicyForm {
  const credentials = lines('policy.credentials', policy?.credentials?.map(String));
  const age = element('input', {
    ...{ name: 'policy.maxRootAgeSeconds', inputmode: 'numeric', autocomplete: 'off' },
    value: policy?.maxRootAgeSeconds === undefined ? '' : String(policy.maxRootAgeSeconds),
  });
  const actions = lines(
    'policy.actions',
    policy?.actions?.filter((action) => action !== ''),
  );
  const parts = {
    environments: choiceGroup(
      ...(['policy.environments', 'Environments', 'checkbox', ENVIRONMENTS] as const),
      policy?.environments ?? [],
    ),
    protocols: choiceGroup(
      ...(['policy.protocols', 'Protocol versions', 'checkbox', PROTOCOLS] as const),
      policy?.protocols ?? [],
    ),
    credentials: formField(
      'policy.credentials',
      'Credentials',
      credentials,
      'One per line: identifiers such as orb or passport, or numbers of issuers. Any if it is empty.',
    ),
    age: formField(
      'policy.maxRootAgeSeconds',
      'Maximum age of a root in seconds',
      age,
      'For roots that are no longer current, 60 to 604,800. What the request or the settings allow if it is empty.',
    ),
    actions: formField(
      'policy.actions',
      'Actions',
      actions,
      'The only actions that count, one per line. Any if it is empty.',
    ),
    sessions: checkbox(
      'policy.sessions',
      'Session proofs besides these actions',
      'They have no action, and are refused where actions are listed.',
      policy?.actions?.includes('') ?? false,
    ),
  };
  const before = { actions: actions.value, takesSessions: policy?.actions?.includes('') ?? false };
  const explained = element(
    'p',
    { class: 'hint' },
    'Proofs that count for this app, whatever a request asks for. Without a tick: the environment of the app_id in production, else both, and every version.',
  );
  const node = element(
    'fieldset',
    {},
    ...[element('legend', {}, 'Verification policy'), explained],
    ...Object.values(parts).map((part) => part.node),
  );
  return {
    fields: Object.values(parts),
    node,
    read() {
      const { control } = parts.sessions;
      const takesSessions = control instanceof HTMLInputElement && control.checked;
      const listed = linesOf(actions.value);
      const members: Policy = {
        ...some('environments', checkedIn(parts.environments)),
        ...some('protocols', checkedIn(parts.protocols)),
        ...some('credentials', linesOf(credentials.value).map(credentialOf)),
        ...(age.value.trim() === '' ? {} : { maxRootAgeSeconds: numberOf(age.value.trim()) }),
        ...some('actions', takesSessions ? [...listed, ''] : listed),
      } as Policy;
      // Lines cannot hold every action, so that a list which nobody touched stays as it is.
      const isUntouched = actions.value === before.actions && takesSessions === before.takesSessions;
      return isUntouched && policy?.actions !== undefined ? { ...members, actions: policy.actions } : members;
    },
  };
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

function lines(name: string, values: readonly string[] = []): HTMLTextAreaElement {
  const area = element('textarea', { name, rows: '2', class: 'mono', spellcheck: 'false' });
  area.value = values.join('\n');
  return area;
}

/** Returns the lines that are not empty, without spaces around them. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
