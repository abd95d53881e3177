/** Runs Apache and mod_auth_openidc of Debian as one process with a temporary configuration. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestClient } from '../../support/signin/clients.ts';
import type { AuthMethod } from './relying-party.ts';

const PROGRAM = '/usr/sbin/apache2';
const MODULES = '/usr/lib/apache2/modules';
const MODULE_NAMES = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'include', 'auth_openidc'];

/** First missing file; undefined when Apache and the module are installed. */
export const missingApache: string | undefined = [
  PROGRAM,
  ...MODULE_NAMES.map((name) => join(MODULES, `mod_${name}.so`)),
].find((path) => !existsSync(path));

/** A site that requires a sign-in, at its own address. */
export interface ApacheSite {
  /** A loopback address, unique among the sites so that their cookies are separate. */
  readonly host: string;
  readonly responseType: string;
  readonly responseMode: string;
  readonly authMethod: AuthMethod;
}

/** URLs of a site. */
export interface ApacheAddresses {
  /** Protected page: JSON with `idToken` and `userinfo` as the module passes them to programs, or null. */
  readonly page: string;
  readonly callback: string;
}

/** URLs of the site of a host. */
export function apacheAddresses(host: string, port: number): ApacheAddresses {
  return { page: `http://${host}:${port}/person.json`, callback: `http://${host}:${port}/callback` };
}

/** A running Apache. */
export interface Apache {
  /** Error log of the sites so far. */
  errors(): string;
  end(): Promise<void>;
}

/** Starts Apache with these sites on one port, and waits until it is listening. */
export async function startApache(
  issuer: string,
  { clientId, clientSecret }: TestClient,
  sites: readonly ApacheSite[],
  port: number,
): Promise<Apache> {
  const folder = mkdtempSync(join(tmpdir(), 'proofgate-apache-'));
  mkdirSync(join(folder, 'pages'));
  writeFileSync(
    join(folder, 'pages', 'person.json'),
    '{"idToken":<!--#echo encoding="none" var="OIDC_id_token_payload" -->,' +
      '"userinfo":<!--#echo encoding="none" var="OIDC_userinfo_json" -->}',
  );
  const common = `
    ServerRoot ${folder}
    DefaultRuntimeDir ${folder}
    PidFile ${folder}/pid
    ServerName 127.0.0.1
    ErrorLog "|/bin/cat"
    LogLevel notice
    ${MODULE_NAMES.map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`).join('\n    ')}
    ServerLimit 1
    StartServers 1
    ThreadsPerChild 8
    MaxRequestWorkers 8
    DocumentRoot ${folder}/pages
    OIDCCryptoPassphrase ${randomBytes(24).toString('hex')}`;
  writeFileSync(join(folder, 'apache.conf'), [common, ...sites.map(siteLines)].join('\n'));

  function siteLines({ host, responseType, responseMode, authMethod }: ApacheSite): string {
    return `
    Listen ${host}:${port}
    <VirtualHost ${host}:${port}>
      # a file, because it has the line before the answer is sent
      ErrorLog ${folder}/errors
      OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration
      OIDCClientID ${clientId}
      OIDCClientSecret ${clientSecret}
      OIDCRedirectURI ${apacheAddresses(host, port).callback}
      OIDCDefaultURL ${apacheAddresses(host, port).page}
      OIDCResponseType "${responseType}"
      OIDCResponseMode ${responseMode}
      OIDCProviderTokenEndpointAuth ${authMethod}
      OIDCScope "openid email profile"
      OIDCPKCEMethod S256
      OIDCRedirectURLsAllowed ^http://127\\.0\\.0\\.[0-9]+:${port}/ ^https://shop\\.example/
      OIDCPassIDTokenAs payload
      OIDCPassUserInfoAs json
      <Location />
        AuthType openid-connect
        Require valid-user
        Options +Includes
        SetOutputFilter INCLUDES
        SSIUndefinedEcho null
      </Location>
    </VirtualHost>`;
  }

  const child = spawn(PROGRAM, ['-D', 'FOREGROUND', '-f', join(folder, 'apache.conf')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH ?? '' },
    ...unprivileged(folder),
  });
  const closed = once(child, 'close');
  await new Promise<void>((resolve, reject) => {
    let output = '';
    const look = (text: string): void => {
      output += text;
      if (output.includes('resuming normal operations')) resolve();
    };
    child.stdout.setEncoding('utf8').on('data', look);
    child.stderr.setEncoding('utf8').on('data', look);
    closed.then(() => reject(new Error(`Apache ended before it was listening:\n${output}`)), reject);
  });
  return {
    errors: () => readFileSync(join(folder, 'errors'), 'utf8'),
    async end() {
      child.kill();
      await closed;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Options to run Apache as `nobody` when the tests run as root, because Apache does not serve as root. */
function unprivileged(folder: string): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const nobody = 65_534;
  for (const path of [folder, join(folder, 'pages')]) chownSync(path, nobody, nobody);
  return { uid: nobody, gid: nobody };
}
