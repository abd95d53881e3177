import { resolve } from 'node:path';
import { isLocalHost, isPrivateAddress } from '../../addresses.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { rootsRefusals } from '../roots/roots-consistency.ts';
import { isLoopback, SETTINGS } from '../settings/schema.ts';
import { envName, type Setting } from '../settings/setting.ts';
import { newSecretFile } from '../settings/setting-rows.ts';
import { isDevelopmentKey } from '../sources/development-key.ts';
import { throwFaults } from '../sources/faults.ts';
import type { ExaminedConfig, LoadedConfig } from '../sources/loaded-config.ts';
import { parseAddressBlock } from '../values/address-block.ts';
import { isKnownSeed } from './known-signing-keys.ts';
import { excessiveShares } from './public-share.ts';

/** Facts from an open store, a running engine or the file system; an absent member was not checked. */
export interface StartFacts {
  /** Mode bits of the data folder. */
  readonly dataDirMode?: number;
  /** Ids of apps that carry the development mark. */
  readonly developmentApps?: readonly string[];
  /** Live client secrets that carry the development mark and whose apps do not. */
  readonly developmentSecrets?: readonly { readonly appId: string; readonly secretId: string }[];
  /** Kids of published signing keys that carry the development mark. */
  readonly developmentSigningKeys?: readonly string[];
  /** Credential keys of this service that are listed, not revoked, and have a seed known to others. */
  readonly unsafeCredentialKeys?: readonly UnsafeCredentialKey[];
  /** False if refresh is enabled and the store has no key that can sign; a configured seed is checked here instead. */
  readonly hasCredentialKey?: boolean;
  /** idComms of active enrolments whose secret is public. */
  readonly demoEnrolments?: readonly string[];
  /** Active orb keys whose private half is public. */
  readonly demoOrbKeys?: readonly { readonly orbId: string; readonly keyHash: string }[];
  /** Verifying keys bound by a setting or a root. */
  readonly boundKeys?: readonly BoundKey[];
  /** Names of migrations that are pending and will not be applied at this start. */
  readonly pendingMigrations?: readonly string[];
  /** Whether there is no store yet, or one without tables. */
  readonly isStoreNew?: boolean;
  /** Further reasons, each a whole line with its remedy. */
  readonly further?: readonly string[];
  /** Difference between the backends on their vectors; absent if they agree or only one is available. */
  readonly backendDisagreement?: string;
}

/** A credential key that production must not list, with the reason why its seed is known. */
export interface UnsafeCredentialKey {
  readonly keyId: string;
  readonly madeBy: 'development' | 'vectors';
}

/** A verifying key in use, and facts that may forbid it. */
export interface BoundKey {
  readonly keyId: string;
  /** Its binding, e.g. `verify.key.production` or `a root of staging/orb`. */
  readonly boundBy: string;
  readonly origin: string;
  /** False if the key is missing or its bytes do not match the recorded fingerprint. */
  readonly matchesFingerprint: boolean;
  /** Whether the fingerprint is that of a known test key. */
  readonly isForbidden: boolean;
  /** Reason why the engine refuses its points; absent for a valid key. */
  readonly fault?: string;
}

const OTHERS_MAY_WRITE = 0o002;
const FORGEABLE_ORIGINS = ['development', 'trapdoor'];

/** Settings in force. A setting with a fault is reported by that fault only. */
type Loaded = Pick<LoadedConfig, 'config' | 'origins'> &
  Partial<Pick<ExaminedConfig, 'faults' | 'faultyKeys'>>;

/** Returns the unset settings that production requires. */
export function missingSettings({ config, origins }: Pick<LoadedConfig, 'config' | 'origins'>): Setting[] {
  if (config.profile !== 'production') return [];
  return SETTINGS.filter(
    ({ key, requiredInProduction }) => requiredInProduction !== undefined && origins[key] === 'default',
  );
}

function settingRefusals({ config, origins, faultyKeys }: Loaded): string[] {
  const refusals: string[] = [...rootsRefusals(config)];
  const refuse = (key: string, text: string): void => {
    if (!faultyKeys?.has(key)) refusals.push(`${key} (${envName(key)}): ${text}`);
  };
  for (const { key, requiredInProduction } of missingSettings({ config, origins })) {
    refuse(key, `required when profile is "production"; ${requiredInProduction}`);
  }
  for (const key of ['baseUrl', 'issuerUrl', 'verifyUrl'] as const) {
    if (origins[key] !== 'default' && !config[key].startsWith('https://')) {
      refuse(
        key,
        `expected an https URL when profile is "production", got ${JSON.stringify(config[key])}; a proxy or tls.certFile makes it one`,
      );
    }
  }
  if (config.webhooks.url?.startsWith('https://') === false) {
    refuse(
      'webhooks.url',
      'expected an https URL when profile is "production", so that nobody on the way reads the events',
    );
  }
  const { url, allowLocal } = config.webhooks;
  if (url !== undefined && URL.canParse(url) && isLocalHost(new URL(url).hostname) && !allowLocal) {
    refuse(
      'webhooks.url',
      `expected no address of this machine or its link when profile is "production"; set ${envName('webhooks.allowLocal')}=true for a receiver on this machine`,
    );
  }
  for (const [key, value] of Object.entries({
    'admin.token': config.admin.token,
    'keys.masterKey': config.keys.masterKey,
    'keys.masterKeyPrevious': config.keys.masterKeyPrevious,
    'apps.secretHmacKey': config.apps.secretHmacKey,
    'apps.secretHmacKeyPrevious': config.apps.secretHmacKeyPrevious,
  })) {
    if (value !== undefined && isDevelopmentKey(value)) {
      refuse(key, `it was generated by the development profile; ${newSecretFile(key)}`);
    }
  }
  const seedFault = signingSeedFault(config.refresh);
  if (seedFault !== undefined) {
    refuse('refresh.signingSeed', `${seedFault}; make a new one, e.g. \`openssl rand -hex 32\``);
  }
  for (const [key, text] of adminRefusals(config)) refuse(key, text);
  const { integrity, issuers } = config.verify.worldid4;
  const unattested = Object.entries(issuers).filter(([, pairs]) => pairs.some(isSelfCheck));
  if (integrity !== 'verify' && unattested.length > 0) {
    const lists = unattested.map(([environment]) => `verify.worldid4.issuers.${environment}`).join(' and ');
    refuse(
      'verify.worldid4.integrity',
      `expected "verify" while ${lists} lists issuer 11, whose credentials are worth only as much as the device that holds them; set it, or remove that issuer`,
    );
  }
  const { header, trusted } = config.proxy;
  if (header !== 'none' && trusted.length === 0) {
    refuse(
      'proxy.trusted',
      `expected the addresses of the proxies that send ${header}, got none; set them, or proxy.header to none`,
    );
  }
  const blocks = trusted.map(parseAddressBlock).filter((block) => block !== undefined);
  for (const { family, share, mostPrefixBits } of excessiveShares(blocks)) {
    const name = family === 'ipv4' ? 'IPv4' : 'IPv6';
    refuse(
      'proxy.trusted',
      `expected the addresses of proxies, together at most a /${mostPrefixBits} of public ${name} addresses, got ${(share * 100).toFixed(2)} % of all of them: clients at these addresses could claim any address; set only the proxies that connect to the service`,
    );
  }
  return refusals;
}

/** Returns what is unsafe about the address of the admin listener, by setting (spec/operations.md#admin-address). */
function adminRefusals({ admin, metrics, tls }: Loaded['config']): [key: string, text: string][] {
  if (isLoopback(admin.host) || isPrivateAddress(admin.host) || tls.certFile !== undefined) return [];
  if (!admin.allowPlainHttp) {
    return [
      [
        'admin.host',
        `expected a loopback or private address, TLS by tls.certFile, or ${envName('admin.allowPlainHttp')}=true in a network that encrypts by itself, got ${JSON.stringify(admin.host)}; the default is 127.0.0.1`,
      ],
    ];
  }
  if (!metrics.enabled || metrics.requireToken) return [];
  return [
    [
      'metrics.requireToken',
      `expected true, since admin.host (${JSON.stringify(admin.host)}) is neither a loopback nor a private address`,
    ],
  ];
}

/** Whether an entry of the list of issuers is about Self Check credentials. */
function isSelfCheck(pair: string): boolean {
  return pair.startsWith('11:');
}

function signingSeedFault({ enabled, signingSeed }: Loaded['config']['refresh']): string | undefined {
  if (!enabled || signingSeed === undefined) {
    return undefined;
  }
  if (isKnownSeed(signingSeed)) {
    return 'it is in published test vectors';
  }
  const isGenerated = isDevelopmentKey(Buffer.from(signingSeed, 'hex').toString('base64'));
  return isGenerated ? 'it was generated by the development profile' : undefined;
}

function keyRefusals(keys: readonly BoundKey[]): string[] {
  return keys.flatMap((key) => {
    const name = `key ${key.keyId}, bound by ${key.boundBy},`;
    if (!key.matchesFingerprint) {
      return [
        `${name} is missing, or does not match its fingerprint; ${otherKey(key)}, or import it with \`proofgate vkey import FILE --id ${key.keyId}\``,
      ];
    }
    if (FORGEABLE_ORIGINS.includes(key.origin)) {
      return [`${name} is of origin ${key.origin}: anyone can forge proofs under it; ${otherKey(key)}`];
    }
    if (key.isForbidden) {
      return [`${name} is a known test key: anyone can forge proofs under it; ${otherKey(key)}`];
    }
    return key.fault === undefined ? [] : [`${name} is refused: ${key.fault}; ${otherKey(key)}`];
  });
}

/** Returns instructions to bind another key. */
function otherKey({ boundBy }: BoundKey): string {
  return SETTINGS.some(({ key }) => key === boundBy)
    ? `set ${boundBy} to one of \`proofgate vkey list\``
    : 'add the true root of that tree with `proofgate roots add` and remove this one with `proofgate roots prune --before TIME`';
}

function factRefusals({ config, faultyKeys }: Loaded, facts: StartFacts): string[] {
  const refusals: string[] = [];
  if (facts.dataDirMode !== undefined && (facts.dataDirMode & OTHERS_MAY_WRITE) !== 0) {
    const folder = resolve(config.dataDir);
    refusals.push(`the data folder ${folder} is writable by other users; \`chmod 0700 ${folder}\``);
  }
  refusals.push(...(facts.further ?? []));
  if ((facts.pendingMigrations ?? []).length > 0) {
    refusals.push(
      `migrations are pending (${facts.pendingMigrations?.join(', ')}); start with --migrate or run \`proofgate migrate up\``,
    );
  }
  if (
    config.refresh.enabled &&
    config.refresh.signingSeed === undefined &&
    faultyKeys?.has('refresh.signingSeed') !== true &&
    facts.hasCredentialKey === false
  ) {
    const first = facts.isStoreNew ? '`proofgate migrate up` and ' : '';
    refusals.push(
      `refresh.signingSeed (${envName('refresh.signingSeed')}): required while refresh.enabled is true and the store has no active credential key; make one with ${first}\`proofgate keys rotate --use credential\`, set the seed, or set refresh.enabled to false`,
    );
  }
  refusals.push(...keyRefusals(facts.boundKeys ?? []), ...developmentRefusals(facts));
  if (facts.backendDisagreement !== undefined) {
    refusals.push(
      `the backends disagree on their vectors: ${facts.backendDisagreement}; build both from the same sources with \`npm run build:native\``,
    );
  }
  return refusals;
}

/** Returns refusals for data of the development profile in the store, and for keys known from test vectors. */
function developmentRefusals(facts: StartFacts): string[] {
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
      madeBy === 'vectors'
        ? 'has a seed that is in published test vectors'
        : 'was made by the development profile';
    refusals.push(
      `credential key ${keyId} ${reason}; revoke it with \`proofgate keys remove ${keyId} --use credential\``,
    );
  }
  for (const idComm of facts.demoEnrolments ?? []) {
    refusals.push(
      `enrolment ${idComm} belongs to the demo holder, whose secret is public; revoke it with \`proofgate signups revoke ${idComm}\``,
    );
  }
  for (const { orbId, keyHash } of facts.demoOrbKeys ?? []) {
    refusals.push(
      `orb key ${keyHash} of ${orbId} belongs to the demo orb, whose private key is public; revoke it with \`proofgate orb-keys revoke ${orbId} ${keyHash}\``,
    );
  }
  return refusals;
}

/** Returns every reason that forbids a start in production, one line each; none in other profiles. */
export function productionRefusals(loaded: Loaded, facts: StartFacts = {}): string[] {
  if (loaded.config.profile !== 'production') {
    return [];
  }
  return [...(loaded.faults ?? []), ...settingRefusals(loaded), ...factRefusals(loaded, facts)];
}

/**
 * Refuses an unsafe start and reports all reasons together.
 *
 * @throws ServiceError `config.production_refused`, `config.exposed_development`, `config.invalid` outside production
 */
export function refuseUnsafeStart(loaded: Loaded, facts: StartFacts = {}): void {
  const { profile, server } = loaded.config;
  if (profile !== 'production') throwFaults(loaded.faults ?? []);
  if (profile !== 'production' && !isLoopback(server.host) && !server.allowExposedDevelopment) {
    throw new ServiceError(
      'config.exposed_development',
      `server.host (${envName('server.host')}) is ${JSON.stringify(server.host)} in profile "${profile}": generated keys and test data must not be exposed to a network`,
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
