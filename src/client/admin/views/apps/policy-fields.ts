import { CHANGEABLE } from '../../../../operations/app-input.ts';
import type { Policy } from '../../api/types.ts';
import type { FieldGroup, FieldSpec, FormFields } from '../../parts/fields.tsx';
import { type FormValues, linesOf } from '../../parts/form.tsx';
import { fieldOf, type Members, readMember } from '../../parts/schema-fields.ts';

const { title: LEGEND = '', properties: SCHEMAS = {} } = CHANGEABLE.policy;

/** Words that the schemas cannot have, which say what an absent member means: a form has every member. */
const OWN: Readonly<Record<string, Partial<FieldSpec>>> = {
  environments: {
    hint: 'Environments of proofs. Without a tick: that of the app_id in production, else both.',
    choices: {
      production: 'Production',
      staging: ['Staging', 'For tests: anybody can make staging identities.'],
    },
  },
  protocols: {
    hint: 'Without a tick every version.',
    choices: { '3.0': 'World ID 3.0', '4.0': 'World ID 4.0' },
  },
  sessionProofReuse: {
    value: true,
    hint: 'A caller that repeats a request whose answer was lost needs it. Without it, a proof is refused while it is remembered.',
  },
  actions: { hint: 'The only actions that count. Any if it is empty.' },
};
const SESSIONS: FieldSpec = {
  label: 'Session proofs besides these actions',
  kind: 'check',
  hint: 'They have no action, and are refused where actions are listed.',
};

/** Returns the fields of the verification policy of an app, with its values or for a new app. */
export function policyFields(policy?: Policy): FieldGroup {
  return {
    legend: LEGEND,
    hint: 'Proofs that count for this app, whatever a request asks for.',
    fields: {
      ...specsOf({ ...policy, ...(policy?.actions && { actions: actionsOf(policy) }) }),
      'policy.sessions': { ...SESSIONS, value: takesSessions(policy) },
    },
  };
}

function specsOf(policy: Members = {}): FormFields & Readonly<Record<string, FieldSpec>> {
  const fields = Object.entries(SCHEMAS).map(([name, schema]) => [
    `policy.${name}`,
    fieldOf(name, schema, OWN[name], policy[name]),
  ]);
  return Object.fromEntries(fields);
}

/** Proofs of sessions have the empty action. */
function takesSessions(policy: Policy | undefined): boolean {
  return policy?.actions?.includes('') ?? false;
}

function actionsOf(policy: Policy | undefined): string[] {
  return policy?.actions?.filter((action) => action !== '') ?? [];
}

/** Returns the policy as the form has it. @param before - That of the app, if it is known. */
export function readPolicy(values: FormValues, before?: Policy): Members {
  const fields = specsOf();
  const members = Object.entries(SCHEMAS).map(([name, schema]) => {
    const place = `policy.${name}`;
    return [name, readMember(values, place, fields[place] ?? SESSIONS, schema)] as const;
  });
  const policy = { ...Object.fromEntries(members), actions: readActions(values, before) };
  const isEmpty = (value: unknown): boolean => value === '' || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(policy).filter(([, value]) => !isEmpty(value)));
}

/** Returns the actions; an untouched list is unchanged, since not every action fits a line. */
function readActions(values: FormValues, before: Policy | undefined): readonly string[] {
  const listed = values.lines('policy.actions');
  const isOn = values.isOn('policy.sessions');
  const isUntouched =
    listed.join('\n') === linesOf(actionsOf(before).join('\n')).join('\n') && isOn === takesSessions(before);
  if (isUntouched && before?.actions !== undefined) return before.actions;
  return isOn ? [...listed, ''] : listed;
}
