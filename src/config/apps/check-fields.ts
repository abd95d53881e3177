import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { isObject } from '../../json.ts';
import { hasHiddenCharacter } from '../../text.ts';
import { didYouMean } from '../sources/faults.ts';
import { type FieldFault, type FieldRule, fieldsSchema, shown } from './field-rule.ts';

/** Checks the fields of an app; returns one fault for each invalid field. */
export type FieldCheck = (fields: unknown) => FieldFault[];

/**
 * Creates the check for a table of fields, which rejects all other fields.
 *
 * @param secretFields - Fields whose values are not shown.
 */
export function fieldCheck(
  rules: Readonly<Record<string, FieldRule>>,
  secretFields: readonly string[] = [],
): FieldCheck {
  let compiled: ValidateFunction | undefined;
  return (fields) => {
    if (!isObject(fields)) return [{ field: 'app', text: `expected an object, got ${kindOf(fields)}` }];
    // The schema is constant; a test checks it against its dialect.
    compiled ??= new Ajv2020({ allErrors: true, meta: false, validateSchema: false }).compile(
      fieldsSchema(rules),
    );
    if (compiled(fields)) return [...hiddenFaults(fields, rules), ...sizeFaults(fields, rules)];
    const faults = new Map<string, FieldFault>();
    for (const error of compiled.errors ?? []) {
      const fault = faultOf(error, fields, rules, secretFields);
      if (!faults.has(fault.field)) faults.set(fault.field, fault);
    }
    return [...faults.values()];
  };
}

/** Returns the faults of texts with characters that no pattern matches in all languages. */
function hiddenFaults(
  fields: Readonly<Record<string, unknown>>,
  rules: Readonly<Record<string, FieldRule>>,
): FieldFault[] {
  return Object.entries(fields)
    .filter(([, value]) => typeof value === 'string' && hasHiddenCharacter(value))
    .map(([field]) => ({
      field,
      text: `expected ${rules[field]?.expected}, got a lone surrogate or an invisible character`,
    }));
}

/** Returns the faults of values that are too long as a whole. */
function sizeFaults(
  fields: Readonly<Record<string, unknown>>,
  rules: Readonly<Record<string, FieldRule>>,
): FieldFault[] {
  return Object.entries(fields).flatMap(([field, value]) => {
    const { maxCharacters = Number.POSITIVE_INFINITY, expected } = rules[field] ?? {};
    const { length } = JSON.stringify(value) ?? '';
    return length <= maxCharacters ? [] : [{ field, text: `expected ${expected}, got ${length} characters` }];
  });
}

/** Names the kind of a value, since the value itself may be a secret. */
function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

function faultOf(
  error: ErrorObject,
  fields: Readonly<Record<string, unknown>>,
  rules: Readonly<Record<string, FieldRule>>,
  secretFields: readonly string[],
): FieldFault {
  const [name = '', ...rest] = error.instancePath.split('/').slice(1);
  const place = placeOf(name, rest, fields, rules);
  if (error.keyword === 'additionalProperties') {
    const { additionalProperty } = error.params as { additionalProperty: string };
    const near = didYouMean(additionalProperty, Object.keys(place.members));
    const member = shown(additionalProperty).slice(1, -1);
    return {
      field: place.field === '' ? member : `${place.field}.${member}`,
      text: `unknown field${near === undefined ? '' : `; did you mean ${near}?`}`,
    };
  }
  const got = secretFields.includes(name) ? `a ${typeof place.value}` : shown(place.value);
  return { field: place.field, text: `expected ${place.expected ?? 'another value'}, got ${got}` };
}

/** Place of an error: the path of the field for the fault, its value, and the values that the nearest rule accepts. */
interface Place {
  readonly field: string;
  readonly value: unknown;
  readonly expected: string | undefined;
  /** Rules for the members of the object at the place. */
  readonly members: Readonly<Record<string, FieldRule>>;
}

function placeOf(
  name: string,
  rest: readonly string[],
  fields: Readonly<Record<string, unknown>>,
  rules: Readonly<Record<string, FieldRule>>,
): Place {
  if (name === '') return { field: '', value: fields, expected: undefined, members: rules };
  const rule = rules[name];
  let place: Place = {
    field: name,
    value: fields[name],
    expected: rule?.expected,
    members: rule?.fields ?? {},
  };
  for (const step of rest) {
    const { field, value, expected, members } = place;
    if (Array.isArray(value)) {
      place = { field: `${field}[${step}]`, value: value[Number(step)], expected, members };
    } else if (isObject(value)) {
      const member = members[step];
      place = {
        field: `${field}.${step}`,
        value: value[step],
        expected: member?.expected ?? expected,
        members: member?.fields ?? {},
      };
    }
  }
  return place;
}
