/**
 * The operations of the admin API, one list for each tag. An operation reads its request, calls the function that the
 * command line calls, too, and shows the result; `src/http/routes/admin/operation-route.ts` serves it.
 */
import type { Operation } from '../operation.ts';
import { APP_OPERATIONS } from './apps.ts';
import { AUDIT_OPERATIONS } from './audit.ts';
import { CONTROL_OPERATIONS } from './control.ts';
import { KEY_OPERATIONS } from './keys.ts';
import { RECORD_OPERATIONS } from './records.ts';
import { REFRESH_TOKEN_OPERATIONS } from './refresh-tokens.ts';
import { ROOT_OPERATIONS } from './roots.ts';
import { SECRET_OPERATIONS } from './secrets.ts';
import { SERVICE_OPERATIONS } from './service.ts';
import { SESSION_OPERATIONS } from './sessions.ts';
import { USAGE_OPERATIONS } from './usage.ts';
import { WEBHOOK_OPERATIONS } from './webhooks.ts';

/** Path below which the admin API is served. */
export const ADMIN_BASE_PATH = '/admin/v1';

/** All operations, in the order of the document. Their paths are relative to `ADMIN_BASE_PATH`. */
export const OPERATIONS: readonly Operation[] = [
  ...SERVICE_OPERATIONS,
  ...CONTROL_OPERATIONS,
  ...APP_OPERATIONS,
  ...SECRET_OPERATIONS,
  ...REFRESH_TOKEN_OPERATIONS,
  ...SESSION_OPERATIONS,
  ...USAGE_OPERATIONS,
  ...KEY_OPERATIONS,
  ...ROOT_OPERATIONS,
  ...RECORD_OPERATIONS,
  ...AUDIT_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
];
