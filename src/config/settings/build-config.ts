import type { RootSource } from '../roots/source-types.ts';
import { CHAIN_NAMES } from './roots-settings.ts';
import type { SettingValue } from './setting.ts';
import type { AttestationConfig, Config, ConfiguredApp, PageLogo, Profile } from './types.ts';

/** Values by key, checked against the schema. */
export type CheckedValues = Readonly<Record<string, SettingValue | undefined>>;

const KEY_BINDINGS = ['verify.key.', 'verify.worldid4.key.'];

function wrongType(key: string): never {
  throw new TypeError(`setting ${key}: the checked value does not have the type of the setting`);
}

function keyBindings(values: CheckedValues): Record<string, string> {
  const bindings: Record<string, string> = {};
  for (const [key, value] of Object.entries(values)) {
    if (KEY_BINDINGS.some((prefix) => key.startsWith(prefix)) && value !== undefined) {
      bindings[key] = String(value);
    }
  }
  return bindings;
}

const ORACLE = 'roots.oracle.';

function oracles(values: CheckedValues): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) =>
      key.startsWith(ORACLE) && typeof value === 'string' ? [[key.slice(ORACLE.length), value]] : [],
    ),
  );
}

/** Builds the typed settings from checked values, and from `apps.list`, `roots.sources` and the logo of the pages as they were read. */
export function buildConfig(
  values: CheckedValues,
  listedApps: readonly ConfiguredApp[],
  logo: PageLogo | undefined,
  sources: readonly RootSource[],
): Config {
  const text = (key: string): string => {
    const value = values[key];
    return typeof value === 'string' ? value : wrongType(key);
  };
  const integer = (key: string): number => {
    const value = values[key];
    return typeof value === 'number' ? value : wrongType(key);
  };
  const flag = (key: string): boolean => {
    const value = values[key];
    return typeof value === 'boolean' ? value : wrongType(key);
  };
  const list = (key: string): readonly string[] => {
    const value = values[key];
    return Array.isArray(value) ? value.map(String) : wrongType(key);
  };
  const optionalText = (key: string): string | undefined =>
    values[key] === undefined ? undefined : text(key);
  const attestation = (environment: string): AttestationConfig => {
    const key = `verify.worldid4.attestation.${environment}`;
    return {
      issuer: text(`${key}.issuer`),
      jwksUrl: text(`${key}.jwksUrl`),
      jwksFile: optionalText(`${key}.jwksFile`),
    };
  };
  return {
    profile: text('profile') as Profile,
    dataDir: text('dataDir'),
    baseUrl: text('baseUrl'),
    issuerUrl: text('issuerUrl'),
    verifyUrl: text('verifyUrl'),
    verify: {
      enabled: flag('verify.enabled'),
      bodyLimitBytes: integer('verify.bodyLimitBytes'),
      maxResponses: integer('verify.maxResponses'),
      sandbox: text('verify.sandbox') as 'refuse' | 'staging',
      deadlineMs: integer('verify.deadlineMs'),
      rateLimitPerSecond: integer('verify.rateLimitPerSecond'),
      rateLimitBurst: integer('verify.rateLimitBurst'),
      keys: keyBindings(values),
      worldid4: {
        enabled: flag('verify.worldid4.enabled'),
        issuers: {
          production: list('verify.worldid4.issuers.production'),
          staging: list('verify.worldid4.issuers.staging'),
        },
        rootWindowSeconds: integer('verify.worldid4.rootWindowSeconds'),
        minExpirationThresholdSeconds: integer('verify.worldid4.minExpirationThresholdSeconds'),
        integrity: text('verify.worldid4.integrity') as 'ignore' | 'verify',
        attestation: { production: attestation('production'), staging: attestation('staging') },
      },
    },
    groth16: {
      enabled: flag('groth16.enabled'),
      maxProofs: integer('groth16.maxProofs'),
      bodyLimitBytes: integer('groth16.bodyLimitBytes'),
      requireToken: flag('groth16.requireToken'),
    },
    roots: {
      sources,
      rpc: Object.fromEntries(
        CHAIN_NAMES.map((chain) => [chain, list(`roots.rpc.${chain}`)] as const).filter(
          ([, urls]) => urls.length > 0,
        ),
      ),
      quorum: values['roots.quorum'] === 'auto' ? 'auto' : Number(values['roots.quorum']),
      allowSingleProvider: flag('roots.allowSingleProvider'),
      rpcTimeoutMs: integer('roots.rpcTimeoutMs'),
      maxResponseBytes: integer('roots.maxResponseBytes'),
      leaseSeconds: integer('roots.leaseSeconds'),
      missWaitMs: integer('roots.missWaitMs'),
      missMaxWaiting: integer('roots.missMaxWaiting'),
      startWaitSeconds: integer('roots.startWaitSeconds'),
      keysRefreshSeconds: integer('roots.keysRefreshSeconds'),
      oracles: oracles(values),
    },
    bridge: {
      enabled: flag('bridge.enabled'),
      rootAlias: flag('bridge.rootAlias'),
      bodyLimitBytes: integer('bridge.bodyLimitBytes'),
      maxEntries: integer('bridge.maxEntries'),
      maxBytes: integer('bridge.maxBytes'),
      maxEntriesPerAddress: integer('bridge.maxEntriesPerAddress'),
      maxBytesPerAddress: integer('bridge.maxBytesPerAddress'),
      url: text('bridge.url'),
    },
    signin: {
      enabled: flag('signin.enabled'),
      proofWindowSeconds: integer('signin.proofWindowSeconds'),
      transactionTtlSeconds: integer('signin.transactionTtlSeconds'),
      maxAttempts: integer('signin.maxAttempts'),
      maxPendingTransactions: integer('signin.maxPendingTransactions'),
      maxPendingBytes: integer('signin.maxPendingBytes'),
      maxPendingPercentPerClient: integer('signin.maxPendingPercentPerClient'),
      maxBegunBytesPerNetwork: integer('signin.maxBegunBytesPerNetwork'),
      maxRootAgeSeconds: integer('signin.maxRootAgeSeconds'),
      codeTtlSeconds: integer('signin.codeTtlSeconds'),
      accessTokenTtlSeconds: integer('signin.accessTokenTtlSeconds'),
      idTokenTtlSeconds: integer('signin.idTokenTtlSeconds'),
      sessionSeconds: integer('signin.sessionSeconds'),
      allowLocalLogout: flag('signin.allowLocalLogout'),
      refreshTokenSeconds: integer('signin.refreshTokenSeconds'),
      pushedRequestSeconds: integer('signin.pushedRequestSeconds'),
      documentationUrl: optionalText('signin.documentationUrl'),
      policyUrl: optionalText('signin.policyUrl'),
      termsUrl: optionalText('signin.termsUrl'),
      operatorName: text('signin.operatorName'),
      logo,
      accentColor: optionalText('signin.accentColor'),
      accentColorDark: optionalText('signin.accentColorDark'),
      introspectionLegacy401: flag('signin.introspectionLegacy401'),
    },
    refresh: {
      enabled: flag('refresh.enabled'),
      verificationKey: text('refresh.verificationKey'),
      externalNullifier: text('refresh.externalNullifier'),
      challengeRequired: flag('refresh.challengeRequired'),
      challengeTtlSeconds: integer('refresh.challengeTtlSeconds'),
      pcpVersions: list('refresh.pcpVersions'),
      pcpSignupReasons: list('refresh.pcpSignupReasons'),
      bodyLimitBytes: integer('refresh.bodyLimitBytes'),
      keepEncryptedUserId: flag('refresh.keepEncryptedUserId'),
      issuerSchemaId: text('refresh.issuerSchemaId'),
      validity: text('refresh.validity'),
      signingSeed: optionalText('refresh.signingSeed'),
    },
    claims: {
      name: text('claims.name'),
      givenName: text('claims.givenName'),
      familyName: text('claims.familyName'),
      beta: flag('claims.beta'),
      emailVerified: values['claims.emailVerified'] === undefined ? undefined : flag('claims.emailVerified'),
    },
    development: { makeCircuit: flag('development.makeCircuit') },
    wallet: {
      url: text('wallet.url'),
      urlStyle: text('wallet.urlStyle') as Config['wallet']['urlStyle'],
      name: optionalText('wallet.name'),
      downloadUrl: optionalText('wallet.downloadUrl'),
    },
    keys: {
      masterKey: optionalText('keys.masterKey'),
      masterKeyPrevious: optionalText('keys.masterKeyPrevious'),
      rotationPeriodSeconds: integer('keys.rotationPeriodSeconds'),
      publishLeadSeconds: integer('keys.publishLeadSeconds'),
      retireAfterSeconds: integer('keys.retireAfterSeconds'),
      jwksMaxAgeSeconds: integer('keys.jwksMaxAgeSeconds'),
    },
    apps: {
      secretHmacKey: optionalText('apps.secretHmacKey'),
      secretHmacKeyPrevious: optionalText('apps.secretHmacKeyPrevious'),
      list: listedApps,
    },
    tls: { certFile: optionalText('tls.certFile'), keyFile: optionalText('tls.keyFile') },
    proxy: {
      trusted: list('proxy.trusted'),
      header: text('proxy.header') as Config['proxy']['header'],
      protocolV2: flag('proxy.protocolV2'),
    },
    rateLimits: {
      authorize: integer('rateLimits.authorize'),
      page: integer('rateLimits.page'),
      status: integer('rateLimits.status'),
      statusPerAddress: integer('rateLimits.statusPerAddress'),
      statusFailures: integer('rateLimits.statusFailures'),
      par: integer('rateLimits.par'),
      token: integer('rateLimits.token'),
      introspect: integer('rateLimits.introspect'),
      revoke: integer('rateLimits.revoke'),
      clientAuthFailures: integer('rateLimits.clientAuthFailures'),
      bridge: integer('rateLimits.bridge'),
      bridgePolls: integer('rateLimits.bridgePolls'),
      bridgePerAddress: integer('rateLimits.bridgePerAddress'),
      bridgeFailures: integer('rateLimits.bridgeFailures'),
      adminFailures: integer('rateLimits.adminFailures'),
      refreshPerIdComm: integer('rateLimits.refreshPerIdComm'),
      refreshWindowSeconds: integer('rateLimits.refreshWindowSeconds'),
      refreshProofAttemptsPerMinute: integer('rateLimits.refreshProofAttemptsPerMinute'),
      refreshMalformed: integer('rateLimits.refreshMalformed'),
    },
    server: {
      host: text('server.host'),
      port: integer('server.port'),
      hstsIncludeSubDomains: flag('server.hstsIncludeSubDomains'),
      allowExposedDevelopment: flag('server.allowExposedDevelopment'),
    },
    admin: {
      host: text('admin.host'),
      port: integer('admin.port'),
      token: optionalText('admin.token'),
      allowedHosts: list('admin.allowedHosts'),
    },
    http: {
      bodyLimitBytes: integer('http.bodyLimitBytes'),
      maxOpenExchanges: integer('http.maxOpenExchanges'),
      maxUnfinished: integer('http.maxUnfinished'),
      maxUnfinishedPerAddress: integer('http.maxUnfinishedPerAddress'),
      maxBodyBytes: integer('http.maxBodyBytes'),
      maxBodyBytesPerAddress: integer('http.maxBodyBytesPerAddress'),
      maxConnections: integer('http.maxConnections'),
      maxConnectionsPerAddress: integer('http.maxConnectionsPerAddress'),
      handlerTimeoutMs: integer('http.handlerTimeoutMs'),
    },
    engine: {
      workers: integer('engine.workers'),
      backend: text('engine.backend') as Config['engine']['backend'],
      maxQueue: integer('engine.maxQueue'),
      maxBatch: integer('engine.maxBatch'),
      maxBatchDelayMs: integer('engine.maxBatchDelayMs'),
    },
    storage: {
      url: text('storage.url'),
      password: optionalText('storage.password'),
      poolSize: integer('storage.poolSize'),
      prepare: flag('storage.prepare'),
      timeoutMs: integer('storage.timeoutMs'),
      allowVolatile: flag('storage.allowVolatile'),
      allowSharedFile: flag('storage.allowSharedFile'),
      groupMaxRows: integer('storage.groupMaxRows'),
      groupMaxDelayMs: integer('storage.groupMaxDelayMs'),
      cacheSeconds: integer('storage.cacheSeconds'),
      sweepIntervalSeconds: integer('storage.sweepIntervalSeconds'),
      sweepBatchRows: integer('storage.sweepBatchRows'),
    },
    webhooks: {
      url: optionalText('webhooks.url'),
      secret: optionalText('webhooks.secret'),
      secretPrevious: optionalText('webhooks.secretPrevious'),
      timeoutMs: integer('webhooks.timeoutMs'),
      allowLocal: flag('webhooks.allowLocal'),
      refusalsPerMinute: integer('webhooks.refusalsPerMinute'),
    },
    log: { level: text('log.level'), format: text('log.format') as Config['log']['format'] },
    metrics: {
      enabled: flag('metrics.enabled'),
      requireToken: flag('metrics.requireToken'),
      token: optionalText('metrics.token'),
    },
    docs: { enabled: flag('docs.enabled') },
    tracing: {
      endpoint: optionalText('tracing.endpoint'),
      samplePercent: integer('tracing.samplePercent'),
    },
    shutdown: { drainDelayMs: integer('shutdown.drainDelayMs'), timeoutMs: integer('shutdown.timeoutMs') },
  };
}
