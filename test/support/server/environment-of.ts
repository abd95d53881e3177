import { envName } from '../../../src/config/settings/setting.ts';

/** Converts settings by key to environment variables, because secrets are not accepted as flags. */
export function environmentOf(settings: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).map(([key, value]) => [envName(key), value]));
}

/** The variable by which all suites run on one HTTP library, if it is set, for a service that they start. */
export const HTTP_LIBRARY_OF_TESTS: Readonly<Record<string, string>> =
  process.env.PROOFGATE_HTTP_LIBRARY === undefined
    ? {}
    : environmentOf({ 'http.library': process.env.PROOFGATE_HTTP_LIBRARY });
