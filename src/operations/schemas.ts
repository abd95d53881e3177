import { CLIENT_ID_PATTERN } from '../config/apps/app-forms.ts';
import type { JsonSchema, Typed } from '../json.ts';
import { ENVIRONMENTS, TREES } from '../membership/roots/trees.ts';

/** A text of an answer. */
export const TEXT = { type: 'string' } as const;
/** Whether something is the case. */
export const FLAG = { type: 'boolean' } as const;
/** A number of an answer. */
export const INTEGER = { type: 'integer' } as const;
/** A time, in ISO 8601 with milliseconds and `Z`. */
export const TIME = { type: 'string', format: 'date-time' } as const;
/** A time of a request: from 1970 on, with milliseconds at most. */
export const GIVEN_TIME = {
  ...TIME,
  pattern:
    '^(?:19[7-9][0-9]|[2-9][0-9]{3})-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-5][0-9](?:[.][0-9]{1,3})?(?:Z|[+-][0-9]{2}:[0-9]{2})$',
} as const;
/** A time, or null. */
export const OPTIONAL_TIME = { type: ['string', 'null'], format: 'date-time' } as const;
/** A text, or null. */
export const OPTIONAL_TEXT = { type: ['string', 'null'] } as const;
/** A number that is not negative. */
export const COUNT = { type: 'integer', minimum: 0 } as const;
/** A number that is not negative, or null. */
export const OPTIONAL_COUNT = { type: ['integer', 'null'], minimum: 0 } as const;
/** 32 bytes as hex. */
export const HEX32 = { type: 'string', pattern: '^0x[0-9a-f]{64}$' } as const;
/** Input of a field element: 1 to 64 hex digits. */
export const FIELD_ELEMENT = { type: 'string', pattern: '^0x[0-9a-fA-F]{1,64}$' } as const;
/** Trees and services of one deployment of World ID. */
export const ENVIRONMENT = { type: 'string', enum: ENVIRONMENTS } as const;
/** A tree of roots. */
export const TREE = { type: 'string', enum: TREES } as const;
/** app_id of an app. */
export const APP_ID = { type: 'string', pattern: CLIENT_ID_PATTERN } as const;
/** Levels of a proof of personhood. */
export const LEVEL = { type: 'string', enum: ['orb', 'device'] } as const;
/** First 8 hex digits of the SHA-256 of a sub. */
export const PERSON = { type: 'string', pattern: '^[0-9a-f]{8}$' } as const;
/** SHA-256 of a sub. */
export const PERSON_ID = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;
/** app_id of the app of the examples. */
export const EXAMPLE_APP_ID = 'app_0123456789abcdef0123456789abcdef';
/** A number of days to look back. */
export const DAYS = { type: 'integer', minimum: 1, maximum: 90, default: 30 } as const;

/** Builds the schema of an object; a member is required unless it is listed as optional. */
export function objectSchema<
  const P extends Record<string, JsonSchema>,
  const O extends keyof P & string = never,
>(properties: P, optional: readonly O[] = []) {
  const names = Object.keys(properties) as (keyof P & string)[];
  const isRequired = (name: keyof P & string): name is Exclude<keyof P & string, O> =>
    !(optional as readonly string[]).includes(name);
  const required: readonly Exclude<keyof P & string, O>[] = names.filter(isRequired);
  return { type: 'object', additionalProperties: false, required, properties } as const;
}

/** Builds the schema of a list. */
export function listOf<const S extends JsonSchema>(items: S) {
  return { type: 'array', items } as const;
}

/** Builds the schema of a text of a request. A store cannot hold U+0000. */
export function textOf(maxLength: number, minLength = 1): Typed<string> {
  return { type: 'string', ...(minLength === 0 ? {} : { minLength }), maxLength, pattern: '^[^\\u0000]*$' };
}

/** Member of the path of an app. */
export const APP_PARAMS = {
  app_id: { ...textOf(64), description: 'app_id or rp_id.' },
} as const;

/** Input without members. */
export const NOTHING = objectSchema({});
/** Input of an operation of one app. */
export const ONE_APP = objectSchema(APP_PARAMS);
