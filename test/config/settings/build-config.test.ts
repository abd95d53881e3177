import { describe, expect, expectTypeOf, it } from 'vitest';
import { buildConfig } from '../../../src/config/settings/build-config.ts';
import { SETTINGS } from '../../../src/config/settings/schema.ts';
import type { Config } from '../../../src/config/settings/types.ts';
import { loadConfig } from '../../../src/config/sources/load.ts';
import { readMember } from '../../../src/config/sources/read-file.ts';

const { config, values } = await loadConfig({ env: {}, cwd: import.meta.dirname });
const { proxies } = config.outgoing;
/** Rows that are read by pattern or with other things. */
const READ_APART =
  /^(?:verify\.(?:worldid4\.)?key\.|roots\.(?:rpc|oracle)\.|(?:server\.frontEnds|roots\.sources|roots\.quorum|apps\.list)$)/;

describe('the typed settings', () => {
  it('have the value of each row at its key', () => {
    const rows = SETTINGS.filter(({ key }) => !READ_APART.test(key));
    expect(rows.length).toBeGreaterThan(150);
    for (const { key } of rows) expect(readMember(config, key.split('.')), key).toEqual(values[key]);
  });

  it('have the types of their rows', () => {
    expectTypeOf<Config['engine']['maxBatch']>().toEqualTypeOf<number>();
    expectTypeOf<Config['signin']['policyUrl']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Config['wallet']['name']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Config['wallet']['url']>().toEqualTypeOf<string>();
    expectTypeOf<Config['wallet']['urlStyle']>().toEqualTypeOf<'query' | 'fragment'>();
    expectTypeOf<Config['claims']['emailVerified']>().toEqualTypeOf<boolean | undefined>();
    expectTypeOf<Config['verify']['worldid4']['issuers']['staging']>().toEqualTypeOf<readonly string[]>();
  });

  it.each([
    ['engine.maxBatch', 'many'],
    ['engine.maxBatch', undefined],
    ['docs.enabled', 1],
    ['proxy.trusted', '127.0.0.1'],
    ['dataDir', undefined],
  ])('are not built from a value of another type: %s %s', (key, value) => {
    const build = (): Config => buildConfig({ ...values, [key]: value }, [], undefined, [], proxies);
    expect(build).toThrow(`setting ${key}: the checked value does not have the type of the setting`);
  });
});
