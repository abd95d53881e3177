import { describeSecret } from './faults.ts';
import type { LoadedConfig, Origin } from './loaded-config.ts';
import { SETTINGS } from './schema.ts';
import { envName, type ListedApp, type SettingValue } from './setting.ts';

/** One setting as `config explain` shows it. */
export interface ExplainedSetting {
  readonly key: string;
  /** Null is "not set"; a secret shows only its length. */
  readonly value: SettingValue | null;
  readonly unit: string | null;
  readonly origin: Origin;
  readonly env: string;
}

/** Every setting in force with unit and origin; secrets are masked. */
export function explainConfig(loaded: LoadedConfig): ExplainedSetting[] {
  return SETTINGS.map((setting) => {
    const value = loaded.values[setting.key] ?? null;
    return {
      key: setting.key,
      value: setting.isSecret && value !== null ? describeSecret(String(value)) : withoutSecrets(value),
      unit: setting.type === 'integer' && setting.unit !== 'port' ? setting.unit : null,
      origin: loaded.origins[setting.key] ?? 'default',
      env: envName(setting.key),
    };
  });
}

/** Apps of `apps.list` are shown without their secrets. */
function withoutSecrets(value: SettingValue | null): SettingValue | null {
  if (!Array.isArray(value)) return value;
  return value.map((item: string | ListedApp) =>
    typeof item === 'object' && typeof item.client_secret === 'string'
      ? { ...item, client_secret: describeSecret(item.client_secret) }
      : item,
  ) as SettingValue;
}
