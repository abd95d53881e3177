import { ADMIN_ERRORS } from './catalogue/admin.ts';
import { AUTHORIZE_ERRORS } from './catalogue/authorize.ts';
import { BRIDGE_ERRORS } from './catalogue/bridge.ts';
import { CREDENTIAL_ERRORS } from './catalogue/credential.ts';
import { DEVELOPMENT_ERRORS } from './catalogue/development.ts';
import { DPOP_ERRORS } from './catalogue/dpop.ts';
import { ENGINE_ERRORS } from './catalogue/engine.ts';
import { HTTP_ERRORS } from './catalogue/http.ts';
import { KEY_ERRORS } from './catalogue/keys.ts';
import { LOGOUT_ERRORS } from './catalogue/logout.ts';
import { OPERATION_ERRORS } from './catalogue/operation.ts';
import { POLICY_ERRORS } from './catalogue/policy.ts';
import { REFRESH_ERRORS } from './catalogue/refresh.ts';
import { REGISTRY_ERRORS } from './catalogue/registry.ts';
import { ROOTS_ERRORS } from './catalogue/roots.ts';
import { SIGNIN_ERRORS } from './catalogue/signin.ts';
import { SIGNING_KEY_ERRORS } from './catalogue/signing-keys.ts';
import { TOKEN_ERRORS } from './catalogue/token.ts';
import { TRANSACTION_ERRORS } from './catalogue/transaction.ts';
import { VERIFY_ERRORS } from './catalogue/verify.ts';
import { WORLDID4_ERRORS } from './catalogue/worldid4.ts';
import type { ErrorSpec } from './spec.ts';

/** The list of all error codes, one file per area. A code, once released, keeps its meaning. */
export const ERRORS = {
  ...HTTP_ERRORS,
  ...VERIFY_ERRORS,
  ...POLICY_ERRORS,
  ...WORLDID4_ERRORS,
  ...ENGINE_ERRORS,
  ...KEY_ERRORS,
  ...REGISTRY_ERRORS,
  ...OPERATION_ERRORS,
  ...BRIDGE_ERRORS,
  ...DEVELOPMENT_ERRORS,
  ...SIGNIN_ERRORS,
  ...AUTHORIZE_ERRORS,
  ...TRANSACTION_ERRORS,
  ...LOGOUT_ERRORS,
  ...TOKEN_ERRORS,
  ...DPOP_ERRORS,
  ...SIGNING_KEY_ERRORS,
  ...REFRESH_ERRORS,
  ...CREDENTIAL_ERRORS,
  ...ROOTS_ERRORS,
  ...ADMIN_ERRORS,
} satisfies Readonly<Record<string, ErrorSpec>>;

/** A code of the catalogue, `area.cause`. */
export type ErrorCode = keyof typeof ERRORS;
