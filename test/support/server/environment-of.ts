import { envName } from '../../../src/config/settings/setting.ts';

/** Converts settings by key to environment variables, because secrets are not accepted as flags. */
export function environmentOf(settings: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).map(([key, value]) => [envName(key), value]));
}

/** Variables with which all suites run in another shape, such as `PROOFGATE_SERVER_FRONT_ENDS=2 npm test -- test/bridge`. */
const OF_ALL_SUITES = ['PROOFGATE_HTTP_LIBRARY', 'PROOFGATE_SERVER_FRONT_ENDS'] as const;

/** Those of them that are set, for a service that a test starts. */
export const ENVIRONMENT_OF_TESTS: Readonly<Record<string, string>> = Object.fromEntries(
  OF_ALL_SUITES.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);
