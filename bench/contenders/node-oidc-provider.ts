import { startChild } from '../support/child.ts';
import type { OidcProviderProcess } from './node-oidc-provider-process.ts';
import type { AccessTokenForm, SigninContender } from './signin-contender.ts';

const MEMORY = 'all state in memory, nothing durable';

/**
 * Starts node-oidc-provider in one process, as two contenders: with its opaque access tokens, the only kind
 * that its userinfo endpoint accepts, and with the JWT access tokens of a resource server, which like ours
 * cost two signatures.
 */
export async function startOidcProvider(): Promise<SigninContender[]> {
  const child = startChild<OidcProviderProcess>(new URL('./node-oidc-provider-process.ts', import.meta.url));
  try {
    const endpoints = await child.call('start', null);
    const contender = (name: string, form: AccessTokenForm, work: string): SigninContender => ({
      name,
      isPeer: true,
      endpoints,
      pid: child.pid,
      accessTokens: form,
      hasUserinfo: form === 'opaque',
      notes: {
        token: `${MEMORY}; ${work}`,
        userinfo: `${MEMORY}; looks an opaque token up`,
        flow: `${MEMORY}; ${work}; its interaction is finished by the program: no proof, no page, 5 requests`,
      },
      codes: (count) => child.call('codes', { count, form }),
      stop: () => child.stop(),
    });
    return [
      contender('node-oidc-provider', 'opaque', 'one RS256 signature, opaque access token'),
      contender('node-oidc-provider-jwt', 'at+jwt', 'two RS256 signatures, JWT access token'),
    ];
  } catch (error) {
    await child.stop();
    throw error;
  }
}
