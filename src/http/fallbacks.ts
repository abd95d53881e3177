import { renderRefreshError } from './errors-refresh.ts';
import { renderVerifyError } from './errors-verify.ts';
import type { PrefixFallback } from './server.ts';

/** Whose error body answers for an unknown path of the public listener; sign-in for all others. */
export const PUBLIC_FALLBACKS: readonly PrefixFallback[] = [
  { prefix: '/api/v4/', renderError: renderVerifyError },
  { prefix: '/api/v1/', renderError: renderRefreshError },
];
