/** Apache with mod_auth_openidc as Debian ships them: one process, with a configuration and files of its own. */
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

/** What this machine lacks; undefined when Apache and the module are there. */
export const missingApache: string | undefined = [
  PROGRAM,
  ...MODULE_NAMES.map((name) => join(MODULES, `mod_${name}.so`)),
].find((path) => !existsSync(path));

/** A site that asks for a sign-in, at an address of its own. */
export interface ApacheSite {
  /** A loopback address, unique among the sites; so their cookies are apart too. */
  readonly host: string;
  readonly responseType: string;
  readonly responseMode: string;
  readonly authMethod: AuthMethod;
}

/** Where a site of Apache has what. */
export interface ApacheAddresses {
  /** The protected page: JSON with `idToken` and `userinfo` as the module hands them to a program, or null. */
  readonly page: string;
  readonly callback: string;
}

/** Addresses of the site of a host. */
export function apacheAddresses(host: string, port: number): ApacheAddresses {
  return { page: `http://${host}:${port}/person.json`, callback: `http://${host}:${port}/callback` };
}

/** Apache while it runs. */
export interface Apache {
  /** The error log of the sites so far. */
  errors(): string;
  end(): Promise<void>;
}

/** Starts Apache with these sites at one port, and waits until it listens. */
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
      # a file, for it has the line before the answer leaves
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
    closed.then(() => reject(new Error(`Apache ended before it listened:\n${output}`)), reject);
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

/** Apache serves nothing as root; started by root, it runs as whoever owns nothing else. */
function unprivileged(folder: string): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const nobody = 65_534;
  for (const path of [folder, join(folder, 'pages')]) chownSync(path, nobody, nobody);
  return { uid: nobody, gid: nobody };
}
