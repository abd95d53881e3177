/** Examines the settings of a deployment file as a start would, with secrets of the right form in the place of its own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { productionRefusals } from '../../../src/config/production/production-refusals.ts';
import { SETTINGS } from '../../../src/config/settings/schema.ts';
import { envName } from '../../../src/config/settings/setting.ts';
import type { Config } from '../../../src/config/settings/types.ts';
import { examineConfig } from '../../../src/config/sources/load.ts';
import { type Fields, textOf } from './manifests.ts';

/** Variables of a container or a unit. */
export type Environment = Readonly<Record<string, string>>;

/** Secrets that no vector and no example holds. */
const SECRETS: Environment = {
  PROOFGATE_METRICS_TOKEN: 'a-token-that-reads-metrics-0123456789',
  PROOFGATE_ADMIN_TOKEN: 'k3'.repeat(20),
  PROOFGATE_KEYS_MASTER_KEY: Buffer.alloc(32, 0x5a).toString('base64'),
  PROOFGATE_REFRESH_SIGNING_SEED: '5a'.repeat(32),
  PROOFGATE_STORAGE_PASSWORD: 'p4'.repeat(16),
};
const CLIENT_SECRET = `sk_${'5a'.repeat(24)}`;

/** Names of all variables that are settings, with `_FILE` for secrets. */
export const VARIABLES: ReadonlySet<string> = new Set(
  SETTINGS.flatMap(({ key, isSecret }) =>
    isSecret === true ? [envName(key), `${envName(key)}_FILE`] : [envName(key)],
  ),
);

/** Variables of secrets, which no file may set to a value. */
export const SECRET_VARIABLES: readonly string[] = SETTINGS.filter(({ isSecret }) => isSecret === true)
  .map(({ key }) => envName(key))
  .filter((name) => name !== 'PROOFGATE_STORAGE_URL');

/** Makes an environment of a member of YAML that maps names to texts. */
export function environmentOf(fields: Fields): Environment {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (typeof value !== 'string')
        throw new Error(`${name}: expected a text, got ${JSON.stringify(value)}`);
      return [name, value];
    }),
  );
}

/** Variables that the image sets for a stage and those before it. */
export function imageEnvironment(stage: 'development' | 'production'): Environment {
  const lines = textOf('docker/Dockerfile').replace(/\\\n/g, ' ').split('\n');
  const from = (name: string): number => lines.findIndex((line) => line.endsWith(` AS ${name}`));
  const after = (name: string): string[] => {
    const own = lines.slice(from(name) + 1);
    const end = own.findIndex((line) => line.startsWith('FROM '));
    return end === -1 ? own : own.slice(0, end);
  };
  const pairs = [...after('base'), ...after(stage)]
    .filter((line) => line.startsWith('ENV '))
    .flatMap((line) => line.slice('ENV '.length).trim().split(/\s+/));
  return Object.fromEntries(pairs.map((pair) => pair.split('=', 2) as [string, string]));
}

/** The result of an examination. */
export interface Examined {
  readonly config: Config;
  /** Faults, warnings and reasons that forbid a start in production. */
  readonly findings: readonly string[];
}

/** Examines the settings of an environment; each `*_FILE` is replaced by a file of this machine. */
export async function examine(environment: Environment): Promise<Examined> {
  const folder = mkdtempSync(join(tmpdir(), 'proofgate-deploy-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const env = Object.fromEntries(
    Object.entries(environment).map(([name, value]) => {
      const secret = SECRETS[name.replace(/_FILE$/, '')];
      return [name, name.endsWith('_FILE') && secret !== undefined ? write(name, secret) : value];
    }),
  );
  if (env.PROOFGATE_APPS_LIST !== undefined) {
    const file = write('client-secret', CLIENT_SECRET);
    env.PROOFGATE_APPS_LIST = env.PROOFGATE_APPS_LIST.replace(/\/run\/secrets\/[\w-]+/g, file);
  }
  const examined = await examineConfig({ env, cwd: folder });
  const findings = [
    ...examined.faults,
    ...examined.warnings,
    ...productionRefusals({ ...examined, faults: [] }),
  ];
  return { config: examined.config, findings };
}
