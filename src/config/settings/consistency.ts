import { blockedPortOf } from '../../addresses.ts';
import { localLogoutFaults } from '../apps/check-redirect-uris.ts';
import { rootsFaults, rootsWarnings } from '../roots/roots-consistency.ts';
import { type CombinedFault, combinedFault } from '../sources/faults.ts';
import { accentFault } from '../values/accent-color.ts';
import { parseAddressBlock } from '../values/address-block.ts';
import { issuerListFault } from '../values/issuer-list.ts';
import { baseUrlFault, publicAddressFault } from '../values/public-address.ts';
import { validityFault } from '../values/validity.ts';
import { SIGNIN_SIGNING_KEY } from './rp-settings.ts';
import type { Config, LibraryFacts } from './types.ts';
import { SECRET, webhookKey } from './webhook-settings.ts';

// spec/sign-in.md#key-states
const CLOCK_TOLERANCE_SECONDS = 300;
// Charged for each entry of the bridge in addition to its body: space for the answer, and for the id.
const BRIDGE_ENTRY_BYTES = 4096 + 256;
const MAX_U64 = 0xffff_ffff_ffff_ffffn;

/** Returns faults of settings that are valid individually but conflict. */
export function consistencyFaults(config: Config): CombinedFault[] {
  const { baseUrl, bridge, http, issuerUrl, keys, profile, proxy, refresh, signin, storage, tls, verifyUrl } =
    config;
  const faults: CombinedFault[] = [...shapeFaults(config), ...rootsFaults(config), ...worldId4Faults(config)];
  const fault = (...parts: Parameters<typeof combinedFault>): number => faults.push(combinedFault(...parts));
  const issuerFault = baseUrlFault(baseUrl, profile);
  if (issuerFault !== undefined) fault('baseUrl', issuerFault, ['profile']);
  // By default both are baseUrl, whose fault is reported once.
  for (const [key, address] of Object.entries({ issuerUrl, verifyUrl })) {
    const addressFault = address === baseUrl ? undefined : publicAddressFault(address);
    if (addressFault !== undefined) fault(key, addressFault);
  }
  if (bridge.enabled && bridge.bodyLimitBytes > http.bodyLimitBytes) {
    fault(
      'http.bodyLimitBytes',
      `expected at least bridge.bodyLimitBytes (${bridge.bodyLimitBytes}), since this setting bounds every body; got ${http.bodyLimitBytes}`,
      ['bridge.bodyLimitBytes'],
    );
  }
  const largestEntry = bridge.bodyLimitBytes + BRIDGE_ENTRY_BYTES;
  if (bridge.enabled && bridge.maxBytesPerAddress < largestEntry) {
    fault(
      'bridge.maxBytesPerAddress',
      `expected at least bridge.bodyLimitBytes + ${BRIDGE_ENTRY_BYTES} (${largestEntry}), else no message of that size could be sent; got ${bridge.maxBytesPerAddress}`,
      ['bridge.bodyLimitBytes'],
    );
  }
  if (refresh.enabled && refresh.bodyLimitBytes > http.bodyLimitBytes) {
    fault(
      'http.bodyLimitBytes',
      `expected at least refresh.bodyLimitBytes (${refresh.bodyLimitBytes}), since this setting bounds every body; got ${http.bodyLimitBytes}`,
      ['refresh.bodyLimitBytes'],
    );
  }
  for (const key of ['maxBodyBytes', 'maxBodyBytesPerAddress'] as const) {
    if (http[key] >= http.bodyLimitBytes) continue;
    fault(
      `http.${key}`,
      `expected at least http.bodyLimitBytes (${http.bodyLimitBytes}), else a body of that size could not be accepted; got ${http[key]}`,
      ['http.bodyLimitBytes'],
    );
  }
  if (BigInt(refresh.issuerSchemaId) > MAX_U64) {
    fault('refresh.issuerSchemaId', `expected at most ${MAX_U64}, got ${refresh.issuerSchemaId}`);
  }
  const lengthFault = validityFault(refresh.validity);
  if (lengthFault !== undefined) fault('refresh.validity', lengthFault);
  if (signin.enabled && !bridge.enabled && bridge.url === `${baseUrl}/bridge`) {
    fault(
      'bridge.enabled',
      'expected true, or another bridge in bridge.url, else no wallet could answer a sign-in',
      ['bridge.url'],
    );
  }
  for (const [key, color, theme] of [
    ['signin.accentColor', signin.accentColor, 'light'],
    ['signin.accentColorDark', signin.accentColorDark, 'dark'],
  ] as const) {
    const contrastFault = color && accentFault(color, theme);
    if (contrastFault) fault(key, contrastFault);
  }
  const cachedSeconds = keys.jwksMaxAgeSeconds + storage.cacheSeconds;
  if (keys.publishLeadSeconds <= cachedSeconds) {
    fault(
      'keys.publishLeadSeconds',
      `expected more than keys.jwksMaxAgeSeconds + storage.cacheSeconds (${cachedSeconds}), else a key would sign before verifiers know it; got ${keys.publishLeadSeconds}`,
      ['keys.jwksMaxAgeSeconds', 'storage.cacheSeconds'],
    );
  }
  const longestLife =
    Math.max(signin.accessTokenTtlSeconds, signin.idTokenTtlSeconds) + CLOCK_TOLERANCE_SECONDS;
  if (keys.retireAfterSeconds < signin.sessionSeconds) {
    fault(
      'keys.retireAfterSeconds',
      `expected at least signin.sessionSeconds (${signin.sessionSeconds}), else an app could not sign a person out by the ID token of a session; got ${keys.retireAfterSeconds}`,
      ['signin.sessionSeconds'],
    );
  }
  if (keys.retireAfterSeconds < longestLife) {
    fault(
      'keys.retireAfterSeconds',
      `expected at least the longest token lifetime + ${CLOCK_TOLERANCE_SECONDS} (${longestLife}), else valid tokens would be refused; got ${keys.retireAfterSeconds}`,
      ['signin.accessTokenTtlSeconds', 'signin.idTokenTtlSeconds'],
    );
  }
  if ((tls.certFile === undefined) !== (tls.keyFile === undefined)) {
    const missing = tls.certFile === undefined ? 'tls.certFile' : 'tls.keyFile';
    fault(missing, 'expected tls.certFile and tls.keyFile together, got one of them', [
      'tls.certFile',
      'tls.keyFile',
    ]);
  }
  for (const block of proxy.trusted.filter((text) => parseAddressBlock(text) === undefined)) {
    fault(
      'proxy.trusted',
      `expected IP addresses or CIDR blocks, IPv4 in its own form, got ${JSON.stringify(block)}`,
    );
  }
  if (storage.allowSharedFile && profile !== 'test' && profile !== 'bench') {
    fault(
      'storage.allowSharedFile',
      `expected false in profile "${profile}": each server would have its own limits`,
      ['profile'],
    );
  }
  if (proxy.protocolV2 && tls.certFile !== undefined) {
    fault(
      'proxy.protocolV2',
      'expected false with tls.certFile: a proxy sends the PROXY header before the TLS handshake, where the listener cannot read it',
      ['tls.certFile'],
    );
  }
  for (const { clientId, client } of config.apps.list) {
    for (const { field, text } of localLogoutFaults(client.backchannelLogoutUri, signin.allowLocalLogout)) {
      fault('apps.list', `${clientId}: ${field}: ${text}`, ['signin.allowLocalLogout', 'profile']);
    }
  }
  faults.push(...webhookFaults(config));
  return faults;
}

/** Returns a fault if a front end would have no worker; one front end alone may run the engine in its thread. */
function shapeFaults({ engine: { workers }, server: { frontEnds } }: Config): CombinedFault[] {
  if (frontEnds === 1 || workers >= frontEnds) return [];
  const text = `expected at least server.frontEnds (${frontEnds}), since each front end needs a worker of its own; got ${workers}`;
  return [combinedFault('engine.workers', text, ['server.frontEnds'])];
}

/** Returns a warning for each pair of settings that are valid individually but defeat each other. */
export function consistencyWarnings(config: Config): string[] {
  const warnings: string[] = [];
  if (config.verify.maxResponses > config.engine.maxQueue) {
    warnings.push(
      `verify.maxResponses (${config.verify.maxResponses}) is above engine.maxQueue (${config.engine.maxQueue}): the largest requests can never be admitted`,
    );
  }
  if (config.groth16.enabled && config.groth16.maxProofs > config.engine.maxQueue) {
    warnings.push(
      `groth16.maxProofs (${config.groth16.maxProofs}) is above engine.maxQueue (${config.engine.maxQueue}): the largest requests can never be admitted`,
    );
  }
  if (config.verify.deadlineMs >= config.http.handlerTimeoutMs) {
    warnings.push(
      `verify.deadlineMs (${config.verify.deadlineMs}) is not below http.handlerTimeoutMs (${config.http.handlerTimeoutMs}): the latter answers first`,
    );
  }
  if (config.verify.rateLimitPerSecond === 0 && config.verify.rateLimitBurst > 0) {
    warnings.push('verify.rateLimitBurst has no effect while verify.rateLimitPerSecond is 0');
  }
  warnings.push(...proxyWarnings(config), ...rootsWarnings(config), ...worldId4Warnings(config));
  return warnings;
}

/** Returns a warning if `http.keepAliveSeconds` is set and the HTTP library has a time of its own. */
export function keepAliveWarning(
  origins: Readonly<Record<string, unknown>>,
  { idleSeconds }: Pick<LibraryFacts, 'idleSeconds'>,
): string | undefined {
  const isSet = (origins['http.keepAliveSeconds'] ?? 'default') !== 'default';
  if (idleSeconds === undefined || !isSet) return undefined;
  return `http.keepAliveSeconds has no effect with uWebSockets.js, which keeps idle connections for ${idleSeconds} s; set http.library to node, or let proxies end theirs earlier`;
}

function proxyWarnings({ proxy, profile }: Config): string[] {
  const { header, protocolV2, trusted } = proxy;
  const warnings: string[] = [];
  if (protocolV2 && trusted.length === 0) {
    warnings.push('proxy.protocolV2 has no effect while proxy.trusted is empty');
  }
  // Production refuses to start in this case.
  if (header !== 'none' && trusted.length === 0 && profile !== 'production') {
    warnings.push(`proxy.header (${header}) has no effect while proxy.trusted is empty`);
  }
  return warnings;
}

const DAY_SECONDS = 86_400;

/** Returns faults of the settings of World ID 4.0 (spec/worldid4.md#switches). */
function worldId4Faults({ profile, signin, verify }: Config): CombinedFault[] {
  const { rpId, signingKey } = signin.worldid4;
  const faults: CombinedFault[] = [];
  if (rpId !== undefined && !verify.worldid4.enabled) {
    const text = 'expected verify.worldid4.enabled, which makes the service accept World ID 4.0 proofs';
    faults.push(combinedFault('signin.worldid4.rpId', text, ['verify.worldid4.enabled']));
  }
  if (rpId !== undefined && signingKey === undefined && profile === 'production') {
    const text = 'expected the key of the signer that is registered for signin.worldid4.rpId';
    faults.push(combinedFault(SIGNIN_SIGNING_KEY, text, ['signin.worldid4.rpId']));
  }
  return [...faults, ...issuerFaults(verify)];
}

function issuerFaults({ worldid4 }: Config['verify']): CombinedFault[] {
  return Object.entries(worldid4.issuers).flatMap(([environment, issuers]) => {
    const key = `verify.worldid4.issuers.${environment}`;
    const fault = issuerListFault(issuers);
    return fault === undefined ? [] : [combinedFault(key, fault)];
  });
}

/** Returns warnings about the settings of World ID 4.0 (spec/worldid4.md#switches). */
function worldId4Warnings({ profile, verify }: Pick<Config, 'profile' | 'verify'>): string[] {
  const seconds = verify.worldid4.minExpirationThresholdSeconds;
  if (profile !== 'production' || seconds <= DAY_SECONDS) return [];
  return [
    `verify.worldid4.minExpirationThresholdSeconds (${seconds}) is above a day: World ID 4.0 proofs count for that long after their expires_at_min`,
  ];
}

/** Returns faults of webhook settings that are valid individually but conflict. */
function webhookFaults({ webhooks }: Config): CombinedFault[] {
  const faults: CombinedFault[] = [];
  for (const key of ['secret', 'secretPrevious'] as const) {
    const secret = webhooks[key];
    if (secret !== undefined && webhookKey(secret) === undefined) {
      faults.push(combinedFault(`webhooks.${key}`, `expected ${SECRET.expected}, got another text`));
    }
  }
  const { url, secret } = webhooks;
  if (url === undefined) return faults;
  const urlFault = webhookAddressFault(url);
  if (urlFault !== undefined) faults.push(combinedFault('webhooks.url', urlFault));
  if (secret === undefined) {
    faults.push(
      combinedFault('webhooks.secret', 'required with webhooks.url, since every event is signed', [
        'webhooks.url',
      ]),
    );
  }
  return faults;
}

function webhookAddressFault(url: string): string | undefined {
  if (!URL.canParse(url)) return 'expected an address that can be called, got another text';
  const { username, password } = new URL(url);
  if (username !== '' || password !== '') return 'expected no user name or password, got one';
  const port = blockedPortOf(url);
  return port === undefined ? undefined : `expected a port that may be called, got ${port}`;
}
