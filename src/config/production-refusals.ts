import { BlockList, isIP } from 'node:net';
import { ServiceError } from '../errors/index.ts';
import { parseAddressBlock } from './address-block.ts';
import { isKnownSeed } from './known-signing-keys.ts';
import type { LoadedConfig } from './loaded-config.ts';
import { isMadeUpKey } from './made-up-key.ts';
import { isLoopback } from './schema.ts';
import { envName } from './setting.ts';

/** What only an open store, a running engine or the file system can tell; an absent member was not looked at. */
export interface StartFacts {
  /** Mode bits of the data folder. */
  readonly dataDirMode?: number;
  /** Ids of apps that carry the development mark. */
  readonly developmentApps?: readonly string[];
  /** Live client secrets that carry it, of apps that do not. */
  readonly developmentSecrets?: readonly { readonly appId: string; readonly secretId: string }[];
  /** Kids of published signing keys that carry it. */
  readonly developmentSigningKeys?: readonly string[];
  /** Credential keys that are listed as ours, not revoked, and have a seed that others know. */
  readonly unsafeCredentialKeys?: readonly UnsafeCredentialKey[];
  /** False when refresh is enabled and the store has no key that could sign; a configured seed is looked at here. */
  readonly hasCredentialKey?: boolean;
  /** idComms of active enrolments whose secret is public. */
  readonly demoEnrolments?: readonly string[];
  /** Active orb keys whose private half is public. */
  readonly demoOrbKeys?: readonly { readonly orbId: string; readonly keyHash: string }[];
  /** Keys that a setting or a root binds. */
  readonly boundKeys?: readonly BoundKey[];
  /** Names of migrations that are pending and will not be applied at this start. */
  readonly pendingMigrations?: readonly string[];
  /** How the backends disagree on their vectors; absent when they agree or only one is there. */
  readonly backendDisagreement?: string;
}

/** A credential key that production must not list, and where its seed is known from. */
export interface UnsafeCredentialKey {
  readonly keyId: string;
  readonly madeBy: 'development' | 'vectors';
}

/** A verifying key in use and what speaks against it. */
export interface BoundKey {
  readonly keyId: string;
  /** Where it is bound, e.g. `verify.key.production` or `a root of staging/orb`. */
  readonly boundBy: string;
  readonly origin: string;
  /** False when the key is not there, or its bytes are not those of the recorded fingerprint. */
  readonly matchesFingerprint: boolean;
  /** The fingerprint is that of a known test key. */
  readonly isForbidden: boolean;
}

const OTHERS_MAY_WRITE = 0o002;
const FORGEABLE_ORIGINS = ['development', 'trapdoor'];

const PRIVATE = new BlockList();
PRIVATE.addSubnet('10.0.0.0', 8);
PRIVATE.addSubnet('172.16.0.0', 12);
PRIVATE.addSubnet('192.168.0.0', 16);
PRIVATE.addSubnet('fc00::', 7, 'ipv6');
PRIVATE.addSubnet('fe80::', 10, 'ipv6');

/** Whether a host is a private address (RFC 1918, RFC 4193, link-local IPv6). */
export function isPrivateAddress(host: string): boolean {
  const family = isIP(host);
  return family !== 0 && PRIVATE.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

type Loaded = Pick<LoadedConfig, 'config' | 'origins'>;

function settingRefusals({ config, origins }: Loaded): string[] {
  const refusals: string[] = [];
  const refuse = (key: string, text: string): number => refusals.push(`${key} (${envName(key)}): ${text}`);
  const required = 'required when profile is "production"';
  if (origins.baseUrl === 'default') {
    refuse('baseUrl', required);
  }
  for (const key of ['baseUrl', 'issuerUrl', 'verifyUrl'] as const) {
    if (origins[key] !== 'default' && !config[key].startsWith('https://')) {
      refuse(key, `expected an https URL when profile is "production", got ${JSON.stringify(config[key])}`);
    }
  }
  if (origins['storage.url'] === 'default') {
    refuse('storage.url', required);
  }
  if (config.admin.token === undefined) {
    refuse('admin.token', required);
  }
  if (config.keys.masterKey === undefined) {
    refuse('keys.masterKey', required);
  }
  for (const [key, value] of Object.entries({
    'admin.token': config.admin.token,
    'keys.masterKey': config.keys.masterKey,
    'keys.masterKeyPrevious': config.keys.masterKeyPrevious,
    'apps.secretHmacKey': config.apps.secretHmacKey,
  })) {
    if (value !== undefined && isMadeUpKey(value)) {
      refuse(
        key,
        'it was made up by the development profile; make a new one, e.g. `openssl rand -base64 32`',
      );
    }
  }
  const seedFault = signingSeedFault(config.refresh);
  if (seedFault !== undefined) {
    refuse('refresh.signingSeed', `${seedFault}; make a new one, e.g. \`openssl rand -hex 32\``);
  }
  const isAdminExposed = !isLoopback(config.admin.host) && !isPrivateAddress(config.admin.host);
  if (isAdminExposed && config.tls.certFile === undefined) {
    refuse(
      'admin.host',
      `expected a loopback or private address, or TLS by tls.certFile, got ${JSON.stringify(config.admin.host)}`,
    );
  }
  const { header, trusted } = config.proxy;
  if (header !== 'none' && trusted.length === 0) {
    refuse('proxy.trusted', `expected the addresses of the proxies that send ${header}, got none`);
  }
  for (const block of trusted.filter((text) => parseAddressBlock(text)?.prefixBits === 0)) {
    refuse('proxy.trusted', `expected the addresses of proxies, got ${block}, which is everybody`);
  }
  return refusals;
}

function signingSeedFault({ enabled, signingSeed }: Loaded['config']['refresh']): string | undefined {
  if (!enabled || signingSeed === undefined) {
    return undefined;
  }
  if (isKnownSeed(signingSeed)) {
    return 'it stands in published test vectors';
  }
  const isMadeUp = isMadeUpKey(Buffer.from(signingSeed, 'hex').toString('base64'));
  return isMadeUp ? 'it was made up by the development profile' : undefined;
}

function keyRefusals(keys: readonly BoundKey[]): string[] {
  return keys.flatMap((key) => {
    const name = `key ${key.keyId}, bound by ${key.boundBy},`;
    if (!key.matchesFingerprint) {
      return [`${name} is not there, or differs from its fingerprint`];
    }
    if (FORGEABLE_ORIGINS.includes(key.origin)) {
      return [`${name} is of origin ${key.origin}: anyone can forge proofs under it`];
    }
    return key.isForbidden ? [`${name} is a known test key: anyone can forge proofs under it`] : [];
  });
}

function factRefusals(config: Loaded['config'], facts: StartFacts): string[] {
  const refusals = (facts.developmentApps ?? []).map(
    (appId) =>
      `app ${appId} was made by the development profile; remove it with \`proofgate apps remove ${appId}\``,
  );
  for (const { appId, secretId } of facts.developmentSecrets ?? []) {
    refusals.push(
      `secret ${secretId} of app ${appId} was made by the development profile; remove it with \`proofgate apps remove-secret ${appId} ${secretId}\``,
    );
  }
  for (const kid of facts.developmentSigningKeys ?? []) {
    refusals.push(
      `signing key ${kid} was made by the development profile; remove it with \`proofgate keys remove ${kid}\``,
    );
  }
  for (const { keyId, madeBy } of facts.unsafeCredentialKeys ?? []) {
    const reason =
      madeBy === 'vectors' ? 'has a seed of published test vectors' : 'was made by the development profile';
    refusals.push(
      `credential key ${keyId} ${reason}; revoke it with \`proofgate keys remove ${keyId} --use credential\``,
    );
  }
  if (
    config.refresh.enabled &&
    config.refresh.signingSeed === undefined &&
    facts.hasCredentialKey === false
  ) {
    refusals.push(
      `refresh.signingSeed (${envName('refresh.signingSeed')}): required while refresh.enabled is true and the store has no active credential key; \`proofgate keys rotate --use credential\` makes one`,
    );
  }
  for (const idComm of facts.demoEnrolments ?? []) {
    refusals.push(
      `enrolment ${idComm} is that of the demo holder, whose secret is public; revoke it with \`proofgate signups revoke ${idComm}\``,
    );
  }
  for (const { orbId, keyHash } of facts.demoOrbKeys ?? []) {
    refusals.push(
      `orb key ${keyHash} of ${orbId} is that of the demo, whose private half is public; revoke it with \`proofgate orb-keys revoke ${orbId} ${keyHash}\``,
    );
  }
  if (facts.dataDirMode !== undefined && (facts.dataDirMode & OTHERS_MAY_WRITE) !== 0) {
    refusals.push(`the data folder ${config.dataDir} is writable by other users; chmod 0700 closes it`);
  }
  refusals.push(...keyRefusals(facts.boundKeys ?? []));
  if ((facts.pendingMigrations ?? []).length > 0) {
    refusals.push(
      `migrations are pending (${facts.pendingMigrations?.join(', ')}); give --migrate or run \`proofgate migrate up\``,
    );
  }
  if (facts.backendDisagreement !== undefined) {
    refusals.push(`the backends disagree on their vectors: ${facts.backendDisagreement}`);
  }
  return refusals;
}

/** Everything that forbids a start in the production profile, one sentence each; empty in other profiles. */
export function productionRefusals(loaded: Loaded, facts: StartFacts = {}): string[] {
  if (loaded.config.profile !== 'production') {
    return [];
  }
  return [...settingRefusals(loaded), ...factRefusals(loaded.config, facts)];
}

/**
 * Refuses an unsafe start, all reasons at once.
 *
 * @throws ServiceError `config.production_refused`, `config.exposed_development`
 */
export function refuseUnsafeStart(loaded: Loaded, facts: StartFacts = {}): void {
  const { profile, server } = loaded.config;
  if (profile !== 'production' && !isLoopback(server.host) && !server.allowExposedDevelopment) {
    throw new ServiceError(
      'config.exposed_development',
      `server.host (${envName('server.host')}) is ${JSON.stringify(server.host)} in profile "${profile}": made-up keys and test data must not face a network`,
    );
  }
  const refusals = productionRefusals(loaded, facts);
  if (refusals.length > 0) {
    const count = `${refusals.length} reason${refusals.length === 1 ? '' : 's'}`;
    throw new ServiceError(
      'config.production_refused',
      [`production does not start: ${count}`, ...refusals.map((line) => `  ${line}`)].join('\n'),
    );
  }
}
