import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { isObject } from '../../json.ts';
import { hasHiddenCharacter } from '../../text.ts';
import { didYouMean } from '../sources/did-you-mean.ts';
import { type FieldFault, type FieldRule, fieldsSchema, shown } from './fields.ts';

/** Checks the fields of an app; returns one fault for each wrong field. */
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
    // The schema is the program's own and checked against its dialect by a test.
    compiled ??= new Ajv2020({ allErrors: true, meta: false, validateSchema: false }).compile(
      fieldsSchema(rules),
    );
    if (compiled(fields)) return hiddenFaults(fields, rules);
    const faults = new Map<string, FieldFault>();
    for (const error of compiled.errors ?? []) {
      const fault = faultOf(error, fields, rules, secretFields);
      if (!faults.has(fault.field)) faults.set(fault.field, fault);
    }
    return [...faults.values()];
  };
}

/** Returns the faults of texts with characters that no pattern can tell in every language. */
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
  if (error.keyword === 'additionalProperties') {
    const { additionalProperty } = error.params as { additionalProperty: string };
    const near = didYouMean(additionalProperty, Object.keys(rules));
    return {
      field: shown(additionalProperty).slice(1, -1),
      text: `unknown field${near === undefined ? '' : `; did you mean ${near}?`}`,
    };
  }
  const [field = '', index] = error.instancePath.split('/').slice(1);
  const list = fields[field];
  const value = index === undefined || !Array.isArray(list) ? list : list[Number(index)];
  const got = secretFields.includes(field) ? `a ${typeof value}` : shown(value);
  return {
    field: index === undefined ? field : `${field}[${index}]`,
    text: `expected ${rules[field]?.expected ?? 'another value'}, got ${got}`,
  };
}
