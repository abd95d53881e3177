/**
 * Inputs of the operations that register and change an app, for server and browser: routes, OpenAPI document, options of
 * commands and the form of the dashboard follow from them.
 */
import { MAX_LOGO_BYTES, SECRET_PATTERN } from '../config/apps/app-forms.ts';
import { APP_FIELDS } from '../config/apps/fields.ts';
import { APP_PARAMS, FLAG, objectSchema } from './schemas.ts';

/** Schemas of the fields of an app in a request. */
type GivenSchemas = { readonly [K in keyof typeof APP_FIELDS]: (typeof APP_FIELDS)[K]['schema'] };

const { client_id: CLIENT_ID, ...FIELDS } = Object.fromEntries(
  Object.entries(APP_FIELDS).map(([name, { schema }]) => [name, schema]),
) as GivenSchemas;

/** Schemas of the fields of an app that can be changed. */
export const CHANGEABLE: Omit<GivenSchemas, 'client_id'> = FIELDS;
/** Names of the fields of an app that can be changed. */
export const CHANGEABLE_FIELDS = Object.keys(CHANGEABLE) as (keyof typeof CHANGEABLE)[];

const LOGO = {
  type: ['string', 'null'],
  contentEncoding: 'base64',
  maxLength: Math.ceil(MAX_LOGO_BYTES / 3) * 4,
  title: 'Logo',
  description: 'PNG, JPEG or WebP of at most 64 KiB, in base64; null removes it.',
} as const;

/** Input of the registration of an app. */
export const CREATE_APP_INPUT = objectSchema(
  {
    app_id: CLIENT_ID,
    ...CHANGEABLE,
    staging: {
      ...FLAG,
      title: 'Staging',
      description: 'Whether a generated app_id selects the staging trees.',
    },
    logo: { ...LOGO, type: 'string' },
    client_secret: {
      type: 'string',
      pattern: SECRET_PATTERN,
      writeOnly: true,
      description: 'Secret that the client already has, of an app from another service; generated if absent.',
    },
  },
  ['app_id', ...CHANGEABLE_FIELDS, 'staging', 'logo', 'client_secret'],
);

/** Input of a change of an app. */
export const UPDATE_APP_INPUT = objectSchema({ ...APP_PARAMS, ...CHANGEABLE, logo: LOGO }, [
  ...CHANGEABLE_FIELDS,
  'logo',
]);
