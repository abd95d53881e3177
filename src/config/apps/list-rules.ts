import type { JsonSchema } from '../../json.ts';
import { SECRET_FORM, SECRET_PATTERN } from './app-forms.ts';
import { type FieldRule, fieldsSchema } from './field-rule.ts';
import { APP_FIELDS, type AppFields } from './fields.ts';

/** An app of `apps.list`: its fields, and the places of its secret and its logo. */
export interface AppEntry extends AppFields {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly client_secret_file?: string;
  readonly logo_file?: string;
}

/** Maximum number of apps in the configuration; more belong in the registry, which is not read as a whole. */
export const MAX_LISTED_APPS = 1000;

function path(description: string): FieldRule {
  return {
    schema: { type: 'string', minLength: 1, maxLength: 4096, description },
    expected: 'a path of at most 4096 characters',
  };
}

/** Fields of one app of `apps.list`. */
export const ENTRY_FIELDS: Readonly<Record<keyof AppEntry, FieldRule>> = {
  ...APP_FIELDS,
  client_secret: {
    schema: { type: 'string', pattern: SECRET_PATTERN, writeOnly: true, description: 'The client secret.' },
    expected: SECRET_FORM,
  },
  client_secret_file: path('File that holds the client secret; relative to the working directory.'),
  logo_file: path('PNG, JPEG or WebP of at most 64 KiB; relative to the working directory.'),
};

/** Schema of `apps.list` without its description. */
export const APP_LIST_SCHEMA: JsonSchema = {
  type: 'array',
  maxItems: MAX_LISTED_APPS,
  items: { ...fieldsSchema(ENTRY_FIELDS), required: ['client_id'] },
};
