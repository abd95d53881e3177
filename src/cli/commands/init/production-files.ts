import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { envName } from '../../../config/settings/setting.ts';

/** A file that `init production` writes. */
export interface InitFile {
  /** Relative to the folder of the configuration. */
  readonly path: string;
  readonly content: string;
  /** Its purpose, in a few words. */
  readonly purpose: string;
}

/** A choice that only the operator can make. */
export interface OpenChoice {
  readonly settings: readonly string[];
  readonly isRequired: boolean;
  readonly question: string;
}

/** Name of the configuration file; its extension makes the loader read it as environment variables. */
export const CONFIG_NAME = 'proofgate.env';
/** Folder of the secrets, in the folder of the configuration. */
export const SECRETS_FOLDER = 'secrets';

/** Choices that are left to the operator, in the order of the file. */
export const OPEN_CHOICES: readonly OpenChoice[] = [
  {
    settings: ['baseUrl'],
    isRequired: true,
    question: 'the https address at which clients reach the service; it is the issuer of all tokens',
  },
  {
    settings: ['storage.url'],
    isRequired: true,
    question: 'where the database is',
  },
  {
    settings: ['tls.certFile', 'tls.keyFile'],
    isRequired: false,
    question: 'the certificate, if the service itself speaks TLS',
  },
  {
    settings: ['proxy.trusted', 'proxy.header'],
    isRequired: false,
    question: 'the proxy in front, if it speaks TLS: without this setting all clients count as one',
  },
];

interface Secret {
  readonly setting: string;
  readonly name: string;
  readonly make: () => string;
  readonly purpose: string;
  readonly comment: readonly string[];
}

const SECRETS: readonly Secret[] = [
  {
    setting: 'keys.masterKey',
    name: 'master-key',
    make: () => randomBytes(32).toString('base64url'),
    purpose: 'seals the signing keys in the store',
    comment: [
      'Seals the private signing keys in the store, and keys the hashes of client secrets. The store is of no use without',
      'it: keep a copy apart from the database.',
    ],
  },
  {
    setting: 'admin.token',
    name: 'admin-token',
    make: () => randomBytes(32).toString('base64url'),
    purpose: 'bearer token of the admin listener',
    comment: ['Bearer token of the admin listener.'],
  },
  {
    setting: 'refresh.signingSeed',
    name: 'signing-seed',
    make: () => randomBytes(32).toString('hex'),
    purpose: 'seed of the key that signs credentials',
    comment: [
      'Seed of the key that signs credentials. To keep that key in the store, remove this line and run',
      '`proofgate keys rotate --use credential` once; without credential refresh set PROOFGATE_REFRESH_ENABLED=false.',
    ],
  },
];

/**
 * Returns the files of a new production configuration, the configuration itself last.
 *
 * @param folder - Absolute path of their folder.
 */
export function productionFiles(folder: string): InitFile[] {
  const secrets = SECRETS.map(({ name, make, purpose }) => ({
    path: join(SECRETS_FOLDER, name),
    content: `${make()}\n`,
    purpose,
  }));
  return [...secrets, { path: CONFIG_NAME, content: configText(folder), purpose: 'the configuration' }];
}

function comment(lines: readonly string[]): string[] {
  return lines.map((line) => `# ${line}`.trimEnd());
}

function configText(folder: string): string {
  const file = join(folder, CONFIG_NAME);
  const unset = (key: string, example: string): string => `#${envName(key)}=${example}`;
  const secretLines = SECRETS.flatMap(({ setting, name, comment: text }) => [
    '',
    ...comment(text),
    `${envName(setting)}_FILE=${join(folder, SECRETS_FOLDER, name)}`,
  ]);
  return [
    ...comment([
      'Proofgate in production. Start it with',
      '',
      `  proofgate serve --config ${file} --migrate`,
      '',
      'A line is NAME=value; an empty value counts as not set. systemd reads this file as EnvironmentFile, containers as',
      '--env-file; variables of the environment itself take precedence. `proofgate serve --help` lists every setting,',
      '`proofgate config explain` with the same --config shows what is in force and where it comes from.',
    ]),
    '',
    `${envName('profile')}=production`,
    '',
    ...comment([
      '---- To decide ----',
      '',
      'The https address at which clients reach the service, without a trailing slash, e.g. https://id.example.com.',
      'It is the issuer of all tokens: clients compare it byte for byte and must be reconfigured when it changes.',
    ]),
    `${envName('baseUrl')}=`,
    '',
    ...comment([
      `The database, e.g. libsql:${join(folder, 'data', 'proofgate.db')}`,
      'Nullifiers must not be lost: choose a disk that is backed up.',
    ]),
    `${envName('storage.url')}=`,
    '',
    ...comment(['TLS in this process (PEM; read at start):']),
    unset('tls.certFile', '/etc/ssl/proofgate/fullchain.pem'),
    unset('tls.keyFile', '/etc/ssl/proofgate/privkey.pem'),
    '',
    ...comment([
      'or TLS in a proxy in front: the addresses from which it connects, and the one header in which it names the client.',
      'The folder .deploy has examples for nginx, Caddy and HAProxy.',
    ]),
    unset('proxy.trusted', '127.0.0.1'),
    unset('proxy.header', 'x-forwarded-for'),
    '',
    ...comment([
      'Where the listeners bind. Behind a proxy on this machine 127.0.0.1 is enough for the public one. The admin listener',
      '(health, metrics) stays on a loopback or private address unless it speaks TLS or its network encrypts.',
    ]),
    unset('server.host', '0.0.0.0'),
    unset('server.port', '8080'),
    unset('admin.host', '127.0.0.1'),
    unset('admin.port', '9090'),
    '',
    ...comment(['What is served; true if not set.']),
    unset('signin.enabled', 'false'),
    unset('refresh.enabled', 'false'),
    unset('verify.enabled', 'false'),
    '',
    ...comment([
      '---- Generated ----',
      '',
      'Folder of what the service keeps in addition to the database; created at the first start, for its owner only.',
    ]),
    `${envName('dataDir')}=${join(folder, 'data')}`,
    ...secretLines,
    '',
  ].join('\n');
}
