/** What an app without rows of its own as a client has: the defaults of every other place that an app is given at. */
export { DEFAULT_CLIENT } from '../../config/apps/client-of.ts';
export { RESPONSE_TYPES } from '../../config/apps/fields.ts';
