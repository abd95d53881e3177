// Rules: spec/credential.md#validity
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/sources/load.ts';
import { parseValidity, validityFault } from '../../../src/config/values/validity.ts';

describe('the setting refresh.validity', () => {
  it.each(['PT60S', 'PT315532800S', 'P1D', 'P3652D', 'P1M', 'P120M', 'P1Y', 'P3Y', 'P10Y'])(
    'may be %s',
    (text) => {
      expect(validityFault(text)).toBeUndefined();
    },
  );

  it.each([
    ['PT59S', 'PT60S to PT315532800S'],
    ['PT315532801S', 'PT60S to PT315532800S'],
    ['P3653D', 'P1D to P3652D'],
    ['P121M', 'P1M to P120M'],
    ['P11Y', 'P1Y to P10Y'],
    ['P9999999999Y', 'P1Y to P10Y'],
  ])('may not be %s', (text, bounds) => {
    expect(validityFault(text)).toBe(`expected 1 minute to 10 years, here ${bounds}, got ${text}`);
  });

  it.each(['', 'P0Y', 'P03Y', 'PT1M', 'P1W', 'P1Y2M', 'P12345678901D'])('is malformed: %j', (text) => {
    expect(parseValidity(text)).toBeUndefined();
    expect(validityFault(text)).toContain('expected P<n>Y, P<n>M, P<n>D or PT<n>S');
  });

  it('is refused at load when it is too long, with the other faults', async () => {
    const load = loadConfig({ env: { PROOFGATE_REFRESH_VALIDITY: 'P11Y' } });
    await expect(load).rejects.toMatchObject({
      code: 'config.invalid',
      message: expect.stringContaining(
        'refresh.validity (PROOFGATE_REFRESH_VALIDITY): expected 1 minute to 10 years, here P1Y to P10Y, got P11Y',
      ),
    });
    await expect(loadConfig({ env: { PROOFGATE_REFRESH_VALIDITY: 'P10Y' } })).resolves.toMatchObject({
      config: { refresh: { validity: 'P10Y' } },
    });
  });
});
