import { basePathOf } from '../../../../config/values/public-address.ts';
import { DEMO_CLIENT_ID, demoRedirectUri } from '../../../../development/demo-client.ts';
import type { DemoConfig } from '../../../../pages.ts';

/**
 * Returns the settings of the service for both pages of the demo. Calls use paths, since the policy of the page allows
 * only its own origin; the authorization request is a navigation to the address in the metadata.
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
