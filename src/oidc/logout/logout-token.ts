import { createHash } from 'node:crypto';
import { toHex } from '../../semaphore/index.ts';
import type { LogoutNotice } from '../../storage/index.ts';
import type { SigningKeys } from '../keys/index.ts';

/** Signs the logout token of a notice (OpenID Connect Back-Channel Logout 1.0, section 2.4), a compact JWS. */
export type SignLogoutToken = (notice: Pick<LogoutNotice, 'sid' | 'clientId' | 'sub'>) => Promise<string>;

/** Dependencies of `createLogoutTokens`. */
export interface LogoutTokensParts {
  readonly keys: Pick<SigningKeys, 'sign'>;
  readonly baseUrl: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Each attempt signs a token of its own: clocks may differ by a minute, and nobody needs an old token. */
const LIFETIME_SECONDS = 120;
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/**
 * Creates the signer of logout tokens (spec/sign-in.md#logout-token).
 *
 * @returns A function that throws ServiceError `signing_key.*`, `store.unreachable`
 */
export function createLogoutTokens({ keys, baseUrl, now }: LogoutTokensParts): SignLogoutToken {
  return ({ sid, clientId, sub }) => {
    const iat = Math.floor(now() / 1000);
    return keys.sign('logout+jwt', {
      ...{ iss: baseUrl, aud: clientId, iat, exp: iat + LIFETIME_SECONDS },
      // A session ends once, so its name makes an identifier that is the same at each attempt.
      jti: createHash('sha256').update(`logout:${sid}`).digest().subarray(0, 16).toString('base64url'),
      ...{ sub: toHex(sub), sid, events: { [EVENT]: {} } },
    });
  };
}
