import { envName } from '../../../src/config/settings/setting.ts';

/** Converts settings by key to environment variables, because secrets are not accepted as flags. */
export function environmentOf(settings: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).map(([key, value]) => [envName(key), value]));
}

/** Variables by which all suites run in another shape, such as `PROOFGATE_SERVER_FRONT_ENDS=2 npm test -- test/bridge`. */
const OF_ALL_SUITES = ['PROOFGATE_HTTP_LIBRARY', 'PROOFGATE_SERVER_FRONT_ENDS'] as const;

/**
 * Returns the environment of a service that a test starts: its own variables, and those of all suites that are set. Each
 * front end has a worker at least.
 */
export function environmentOfTest(own: Readonly<Record<string, string>>): Record<string, string> {
  const env = { ...own };
  for (const name of OF_ALL_SUITES) {
    const value = process.env[name];
    if (value !== undefined) env[name] ??= value;
  }
  const { PROOFGATE_SERVER_FRONT_ENDS: frontEnds = '1', PROOFGATE_ENGINE_WORKERS: workers } = env;
  if (frontEnds !== '1' && workers !== undefined && Number(workers) < Number(frontEnds))
    env.PROOFGATE_ENGINE_WORKERS = frontEnds;
  return env;
}
