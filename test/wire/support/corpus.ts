import { ADMIN_CASES } from './cases-admin.ts';
import { BRIDGE_CASES, BRIDGE_EXPIRY_CASES } from './cases-bridge.ts';
import { GROTH16_CASES } from './cases-groth16.ts';
import { HTTP_CASES } from './cases-http.ts';
import { PAGE_CASES } from './cases-pages.ts';
import { PUSHED_CASES } from './cases-pushed.ts';
import { REFRESH_CASES } from './cases-refresh.ts';
import { EXPIRY_CASES, SIGNIN_CASES } from './cases-signin.ts';
import { STATIC_CASES } from './cases-static.ts';
import { TOKEN_CASES } from './cases-token.ts';
import { VERIFY_CASES } from './cases-verify.ts';
import type { WireCase } from './wire-case.ts';

/**
 * Cases by interface, in the order in which they are sent. Readiness depends on the clock of the services,
 * which `expiry` advances; no case of a page or a health check may follow it.
 */
export const CORPUS: Readonly<Record<string, readonly WireCase[]>> = {
  verify: VERIFY_CASES,
  groth16: GROTH16_CASES,
  http: HTTP_CASES,
  signin: SIGNIN_CASES,
  token: TOKEN_CASES,
  pushed: PUSHED_CASES,
  pages: PAGE_CASES,
  static: STATIC_CASES,
  bridge: BRIDGE_CASES,
  admin: ADMIN_CASES,
  expiry: [...EXPIRY_CASES, ...BRIDGE_EXPIRY_CASES],
  refresh: REFRESH_CASES,
};
