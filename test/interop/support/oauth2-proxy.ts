/** Runs oauth2-proxy, which `.ci/interop-setup.sh` builds, as one process in front of an upstream. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { TestClient } from '../../support/signin/clients.ts';
import { pollUntil } from '../../support/until.ts';
import { runs, supportPath } from './relying-party.ts';

const PROGRAM = supportPath('../../../.cache/oauth2-proxy/oauth2-proxy');

/** Whether the program is missing. */
export const isProxyMissing: boolean = !runs(PROGRAM, ['--version']);

/** A running proxy. */
export interface RunningProxy {
  end(): Promise<void>;
}

/** Starts the proxy at the origin of the redirect URI of its client, and waits until it answers. */
export async function startProxy(
  issuer: string,
  { clientId, clientSecret, redirectUri }: TestClient,
  upstream: string,
): Promise<RunningProxy> {
  const { origin, host } = new URL(redirectUri);
  const options = {
    provider: 'oidc',
    'oidc-issuer-url': issuer,
    'client-id': clientId,
    'redirect-url': redirectUri,
    scope: 'openid offline_access',
    // a person without an e-mail address is known by `sub`
    'oidc-email-claim': 'sub',
    'email-domain': '*',
    'code-challenge-method': 'S256',
    'insecure-oidc-skip-nonce': 'false',
    'http-address': host,
    upstream,
    'pass-access-token': 'true',
    'skip-provider-button': 'true',
    'cookie-secure': 'false',
    'cookie-refresh': '1s',
    'whitelist-domain': new URL(issuer).host,
  };
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  const child = spawn(PROGRAM, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      OAUTH2_PROXY_CLIENT_SECRET: clientSecret,
      OAUTH2_PROXY_COOKIE_SECRET: randomBytes(32).toString('base64url'),
    },
  });
  const closed = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  await pollUntil(async () => {
    if (child.exitCode !== null) throw new Error(`oauth2-proxy ended before it was listening:\n${output}`);
    return await fetch(`${origin}/ping`).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  return {
    async end() {
      child.kill();
      await closed;
    },
  };
}
