import type { TypeOf } from '../json.ts';
import { APP_OPERATIONS } from './apps.ts';
import { AUDIT_OPERATIONS } from './audit.ts';
import { CONTROL_OPERATIONS } from './control.ts';
import { KEY_OPERATIONS } from './keys.ts';
import type { Operation, OutputOf } from './operation.ts';
import { PEOPLE_OPERATIONS } from './people.ts';
import { RECORD_OPERATIONS } from './records.ts';
import { REFRESH_TOKEN_OPERATIONS } from './refresh-tokens.ts';
import { ROOT_OPERATIONS } from './roots.ts';
import { SECRET_OPERATIONS } from './secrets.ts';
import { SERVICE_OPERATIONS } from './service.ts';
import { SESSION_OPERATIONS } from './sessions.ts';
import { USAGE_OPERATIONS } from './usage.ts';
import { WEBHOOK_OPERATIONS } from './webhooks.ts';
import { WORLDID4_KEY_OPERATIONS } from './worldid4-keys.ts';

const TABLE = {
  ...SERVICE_OPERATIONS,
  ...CONTROL_OPERATIONS,
  ...APP_OPERATIONS,
  ...SECRET_OPERATIONS,
  ...REFRESH_TOKEN_OPERATIONS,
  ...SESSION_OPERATIONS,
  ...PEOPLE_OPERATIONS,
  ...USAGE_OPERATIONS,
  ...KEY_OPERATIONS,
  ...ROOT_OPERATIONS,
  ...WORLDID4_KEY_OPERATIONS,
  ...RECORD_OPERATIONS,
  ...AUDIT_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
};

/** All operations, in the order of the document. */
export const OPERATIONS: readonly Operation[] = Object.values(TABLE);

type Table = typeof TABLE;

/** Input and output of every operation, by method and path: `AdminApi['PATCH /apps/{app_id}']['input']`. */
export type AdminApi = {
  readonly [Id in keyof Table as Table[Id]['at']]: {
    readonly input: TypeOf<Table[Id]['input']>;
    readonly output: OutputOf<Table[Id]['output']>;
  };
};

/** Output of an operation by its id. */
export type OutputOfOperation<Id extends keyof Table> = OutputOf<Table[Id]['output']>;
