import { maskedAddress } from '../../text.ts';
import { missingSettings } from '../production/production-refusals.ts';
import { SETTINGS } from '../settings/schema.ts';
import {
  envName,
  type ListedApp,
  type Origin,
  type Setting,
  type SettingValue,
} from '../settings/setting.ts';
import { describeSecret } from './faults.ts';
import type { LoadedConfig } from './loaded-config.ts';

/** One setting in the output of `config explain`. */
export interface ExplainedSetting {
  readonly key: string;
  /**
   * Null is "not set". Of a set secret only the length is shown, of an address that may contain one only the origin.
   */
  readonly value: SettingValue | null;
  readonly unit: string | null;
  readonly origin: Origin;
  readonly env: string;
  /**
   * The setting that must be set for this one to have a value: itself if production accepts no default, or the one from
   * which its default is derived. Null if there is none.
   */
  readonly missing: string | null;
}

/** Returns every setting in force with unit and origin; secrets and addresses of receivers are masked. */
export function explainConfig(
  loaded: Pick<LoadedConfig, 'config' | 'values' | 'origins'>,
): ExplainedSetting[] {
  const required = new Set(missingSettings(loaded).map(({ key }) => key));
  return SETTINGS.map((setting) => {
    const { key } = setting;
    const origin = loaded.origins[key] ?? 'default';
    const missing = origin === 'default' ? missingFor(setting, required) : null;
    const value = missing === null ? (loaded.values[key] ?? null) : null;
    return {
      key,
      // Defaults are documented; only a value that was set is secret.
      value: value === null || origin === 'default' ? value : masked(setting, value),
      unit: setting.type === 'integer' && setting.unit !== 'port' ? setting.unit : null,
      origin,
      env: envName(key),
      missing,
    };
  });
}

/** Returns the setting required for the default of a setting. */
function missingFor(setting: Setting, required: ReadonlySet<string>): string | null {
  if (required.has(setting.key)) return setting.key;
  const { default: value } = setting;
  const follows = typeof value === 'object' && 'compute' in value ? value.follows : undefined;
  return follows !== undefined && required.has(follows) ? follows : null;
}

function masked(setting: Setting, value: SettingValue): SettingValue {
  if (setting.isSecret) return describeSecret(String(value));
  return setting.isMaskedAddress ? shownAddress(String(value)) : withoutSecrets(value);
}

function shownAddress(text: string): string {
  return URL.canParse(text) ? maskedAddress(text) : describeSecret(text);
}

const SECRET_FIELDS = ['client_secret', 'token'] as const;

/** Masks the secrets and addresses in `apps.list` and `roots.sources`. */
function withoutSecrets(value: SettingValue): SettingValue {
  if (!Array.isArray(value)) return value;
  return value.map((item: string | ListedApp) => {
    if (typeof item !== 'object') return item;
    const hidden = SECRET_FIELDS.flatMap((field) => {
      const secret = item[field];
      return typeof secret === 'string' ? [[field, describeSecret(secret)]] : [];
    });
    const address = typeof item.url === 'string' ? { url: shownAddress(item.url) } : {};
    return { ...item, ...Object.fromEntries(hidden), ...address };
  }) as SettingValue;
}
