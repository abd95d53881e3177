import type { SettingValue } from './setting.ts';
import type { Config, Profile } from './types.ts';

/** Values by key, checked against the schema. */
export type CheckedValues = Readonly<Record<string, SettingValue | undefined>>;

const KEY_BINDING = 'verify.key.';

function wrongType(key: string): never {
  throw new TypeError(`the setting ${key} has no value of its type`);
}

function keyBindings(values: CheckedValues): Record<string, string> {
  const bindings: Record<string, string> = {};
  for (const [key, value] of Object.entries(values)) {
    if (key.startsWith(KEY_BINDING) && value !== undefined) {
      bindings[key] = String(value);
    }
  }
  return bindings;
}

/** The typed settings made of checked values. */
export function buildConfig(values: CheckedValues): Config {
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
  const token = values['admin.token'];
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
      deadlineMs: integer('verify.deadlineMs'),
      rateLimitPerSecond: integer('verify.rateLimitPerSecond'),
      rateLimitBurst: integer('verify.rateLimitBurst'),
      keys: keyBindings(values),
    },
    bridge: {
      enabled: flag('bridge.enabled'),
      rootAlias: flag('bridge.rootAlias'),
      bodyLimitBytes: integer('bridge.bodyLimitBytes'),
      maxEntries: integer('bridge.maxEntries'),
      maxBytes: integer('bridge.maxBytes'),
    },
    rateLimits: { bridge: integer('rateLimits.bridge') },
    server: {
      host: text('server.host'),
      port: integer('server.port'),
      allowExposedDevelopment: flag('server.allowExposedDevelopment'),
    },
    admin: {
      host: text('admin.host'),
      port: integer('admin.port'),
      token: token === undefined ? undefined : String(token),
    },
    http: {
      bodyLimitBytes: integer('http.bodyLimitBytes'),
      maxOpenExchanges: integer('http.maxOpenExchanges'),
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
      groupMaxRows: integer('storage.groupMaxRows'),
      groupMaxDelayMs: integer('storage.groupMaxDelayMs'),
      cacheSeconds: integer('storage.cacheSeconds'),
      sweepIntervalSeconds: integer('storage.sweepIntervalSeconds'),
      sweepBatchRows: integer('storage.sweepBatchRows'),
    },
    log: { level: text('log.level'), format: text('log.format') as Config['log']['format'] },
    metrics: { enabled: flag('metrics.enabled'), requireToken: flag('metrics.requireToken') },
    shutdown: { drainDelayMs: integer('shutdown.drainDelayMs'), timeoutMs: integer('shutdown.timeoutMs') },
  };
}
