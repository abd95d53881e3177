// Rules: spec/worldid4.md#switches
import { describe, expect, it } from 'vitest';
import { parseIssuerList } from '../../../src/config/values/issuer-list.ts';
import { faultsOf, load, useConfigFolder } from '../support/config-folder.ts';

useConfigFolder();

const KEY = 'verify.worldid4.issuers.staging';
const NAME = 'PROOFGATE_VERIFY_WORLDID4_ISSUERS_STAGING';
const THRESHOLD = 'verify.worldid4.minExpirationThresholdSeconds';

describe('settings of World ID 4.0', () => {
  it.each([
    [
      '1:a,2:b,1:c',
      'expected each issuer_schema_id once, with its identifiers separated by "|", got 1 more than once',
    ],
    [
      '18446744073709551616:a',
      'expected issuer_schema_ids up to 18446744073709551615, got 18446744073709551616',
    ],
  ])('refuse the issuers %s', async (value, text) => {
    expect(await faultsOf({ flags: { [KEY]: value } })).toEqual([`${KEY} (${NAME}): ${text}`]);
  });

  it('accept the largest issuer, and identifiers that issuers share', async () => {
    const { config } = await load({ flags: { [KEY]: '18446744073709551615:a|b,1:a' } });
    expect(parseIssuerList(config.verify.worldid4.issuers.staging)).toEqual(
      new Map([
        ['18446744073709551615', new Set(['a', 'b'])],
        ['1', new Set(['a'])],
      ]),
    );
  });

  it('warn in production about a bound that is old for more than a day', async () => {
    const warningsOf = async (profile: string, seconds: string): Promise<number> => {
      const { warnings } = await load({ flags: { profile, [THRESHOLD]: seconds } });
      return warnings.filter((warning) => warning.startsWith(`${THRESHOLD} (${seconds}) is above a day`))
        .length;
    };
    expect(await warningsOf('production', '86401')).toBe(1);
    expect(await warningsOf('production', '86400')).toBe(0);
    expect(await warningsOf('development', '86401')).toBe(0);
  });
});
