import { CLIENT_ID_PATTERN } from '../../config/apps/app-forms.ts';
import type { JsonSchema } from '../../json.ts';
import { ENVIRONMENTS, TREES } from '../../membership/index.ts';

/** A time, in ISO 8601 with milliseconds and `Z`. */
export const TIME: JsonSchema = { type: 'string', format: 'date-time' };
/** A time of a request: from 1970 on, with milliseconds at most. */
export const GIVEN_TIME: JsonSchema = {
  ...TIME,
  pattern:
    '^(?:19[7-9][0-9]|[2-9][0-9]{3})-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-5][0-9](?:[.][0-9]{1,3})?(?:Z|[+-][0-9]{2}:[0-9]{2})$',
};
/** A time, or null. */
export const OPTIONAL_TIME: JsonSchema = { type: ['string', 'null'], format: 'date-time' };
/** A text, or null. */
export const OPTIONAL_TEXT: JsonSchema = { type: ['string', 'null'] };
/** A number that is not negative. */
export const COUNT: JsonSchema = { type: 'integer', minimum: 0 };
/** A number that is not negative, or null. */
export const OPTIONAL_COUNT: JsonSchema = { type: ['integer', 'null'], minimum: 0 };
/** 32 bytes as hex. */
export const HEX32: JsonSchema = { type: 'string', pattern: '^0x[0-9a-f]{64}$' };
/** Input of a field element: 1 to 64 hex digits. */
export const FIELD_ELEMENT: JsonSchema = { type: 'string', pattern: '^0x[0-9a-fA-F]{1,64}$' };
/** Trees and services of one deployment of World ID. */
export const ENVIRONMENT: JsonSchema = { type: 'string', enum: ENVIRONMENTS };
/** A tree of roots. */
export const TREE: JsonSchema = { type: 'string', enum: TREES };
/** app_id of an app. */
export const APP_ID: JsonSchema = { type: 'string', pattern: CLIENT_ID_PATTERN };
/** Parameters of the path of an app. */
export const APP_PARAMS: Readonly<Record<'app_id', JsonSchema>> = {
  app_id: { ...textOf(64), description: 'app_id or rp_id.' },
};
/** app_id of the app of the examples. */
export const EXAMPLE_APP_ID = 'app_0123456789abcdef0123456789abcdef';
/** A number of days to look back. */
export const DAYS: JsonSchema = { type: 'integer', minimum: 1, maximum: 90, default: 30 };

/** Builds the schema of an object; a member is required unless it is listed as optional. */
export function objectSchema(
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', additionalProperties: false, required, properties };
}

/** Builds the schema of a list. */
export function listOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

/** Builds the schema of a text of a request. A store cannot hold U+0000. */
export function textOf(maxLength: number, minLength = 1): JsonSchema {
  return { type: 'string', ...(minLength === 0 ? {} : { minLength }), maxLength, pattern: '^[^\\u0000]*$' };
}
