import { envName } from '../../../src/config/index.ts';

/** Settings by key as the environment of a process has them; secrets are not taken as flags. */
export function environmentOf(settings: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).map(([key, value]) => [envName(key), value]));
}
