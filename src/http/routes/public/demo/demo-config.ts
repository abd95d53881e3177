import { basePathOf } from '../../../../config/values/public-address.ts';
import { DEMO_CLIENT_ID, demoRedirectUri } from '../../../../development/index.ts';
import type { DemoConfig } from '../../../../pages.ts';

/**
 * What both pages of the demo know of their service. The calls are paths, since a page may call its own origin alone;
 * the authorization request is a navigation to the address that the metadata has.
 */
export function demoConfig(baseUrl: string): DemoConfig {
  const path = basePathOf(baseUrl);
  return {
    issuer: baseUrl,
    clientId: DEMO_CLIENT_ID,
    redirectUri: demoRedirectUri(baseUrl),
    urls: {
      demo: `${baseUrl}/demo`,
      authorize: `${baseUrl}/authorize`,
      token: `${path}/token`,
      jwks: `${path}/jwks`,
      userinfo: `${path}/userinfo`,
      revoke: `${path}/revoke`,
    },
  };
}
