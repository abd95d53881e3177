import { envName } from '../../../src/config/settings/setting.ts';

/** Converts settings by key to environment variables, because secrets are not accepted as flags. */
export function environmentOf(settings: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).map(([key, value]) => [envName(key), value]));
}
