import { isDeepStrictEqual } from 'node:util';
import { SETTINGS } from '../settings/schema.ts';
import type { Config } from '../settings/types.ts';
import type { LoadedConfig } from './loaded-config.ts';

/** Settings as they were read at one time. */
export type SettingsReading = Pick<LoadedConfig, 'config' | 'values' | 'origins'>;

/** Content that a setting names a file for, or that entries of its list do. */
const CONTENTS: readonly (readonly [key: string, contentOf: (config: Config) => unknown])[] = [
  ['apps.list', ({ apps }) => apps.list],
  ['roots.sources', ({ roots }) => roots.sources],
  ['signin.logoFile', ({ signin }) => signin.logo],
];

/** Returns the keys of settings whose value differs between two readings, in the order of the settings. */
export function changedSettings(former: SettingsReading, next: SettingsReading): string[] {
  const changed = new Set(
    CONTENTS.filter(([, of]) => !isDeepStrictEqual(of(former.config), of(next.config))).map(([key]) => key),
  );
  for (const { key } of SETTINGS) {
    // A computed default may depend on the machine, such as on its number of processors.
    const isDefault = former.origins[key] === 'default' && next.origins[key] === 'default';
    if (!isDefault && !isDeepStrictEqual(former.values[key], next.values[key])) changed.add(key);
  }
  return SETTINGS.map(({ key }) => key).filter((key) => changed.has(key));
}

/** Settings that a running service takes over when they change. */
const LIVE_SETTINGS: readonly string[] = [
  'admin.token',
  'metrics.token',
  'webhooks.secret',
  'webhooks.secretPrevious',
];
/** Settings that the store reads from their files at each login, and the member of `loginFiles`. */
const LOGIN_SETTINGS = { 'storage.url': 'url', 'storage.password': 'password' } as const;

/** Whether a changed setting takes effect without a restart; of `storage.url`, only a changed login does. */
export function isLiveSetting(key: string, former: Config, next: Config): boolean {
  if (key === 'storage.url' || key === 'storage.password') {
    const [file, other] = [former, next].map(({ storage }) => storage.loginFiles?.[LOGIN_SETTINGS[key]]);
    return file !== undefined && file === other;
  }
  // A service without a configured token has generated one at the start.
  if (key === 'admin.token') return former.admin.token !== undefined && next.admin.token !== undefined;
  return LIVE_SETTINGS.includes(key);
}

/** Settings of a running service, some of which may change. */
export class LiveConfig {
  #current: Config;

  constructor(atStart: Config) {
    this.#current = atStart;
  }

  /** Settings in force now. */
  get current(): Config {
    return this.#current;
  }

  /** Takes over the tokens and secrets of another reading; no admin token in place of a generated one. */
  take({ admin, metrics, webhooks }: Config): void {
    const former = this.#current;
    const { secret, secretPrevious } = webhooks;
    this.#current = {
      ...former,
      admin: { ...former.admin, token: former.admin.token && (admin.token ?? former.admin.token) },
      metrics: { ...former.metrics, token: metrics.token },
      webhooks: { ...former.webhooks, secret, secretPrevious },
    };
  }
}
