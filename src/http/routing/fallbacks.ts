import type { Config } from '../../config/settings/types.ts';
import { renderRefreshError } from '../errors/refresh.ts';
import { renderVerifyError } from '../errors/verify.ts';
import type { PrefixFallback } from '../server.ts';
import { basePathOf } from './base-path.ts';

/**
 * Returns the interfaces whose error body answers for unknown paths below them; sign-in answers for all others.
 *
 * @param addresses - Public addresses; the interfaces are served below their paths.
 */
export function interfaceFallbacks(addresses: Pick<Config, 'issuerUrl' | 'verifyUrl'>): PrefixFallback[] {
  return [
    { prefix: `${basePathOf(addresses.verifyUrl)}/api/v4/`, renderError: renderVerifyError },
    { prefix: `${basePathOf(addresses.issuerUrl)}/api/v1/`, renderError: renderRefreshError },
  ];
}
