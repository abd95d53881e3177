// Rules: spec/roots.md#settings
import { describe, expect, it } from 'vitest';
import { BLOCKED_PORTS, blockedPortOf } from '../src/addresses.ts';

describe('a blocked port', () => {
  it('is one to which fetch sends nothing', async () => {
    for (const port of BLOCKED_PORTS) {
      const call = fetch(`http://127.0.0.1:${port}`);
      await expect(call, `${port}`).rejects.toMatchObject({ cause: { message: 'bad port' } });
    }
  });

  it.each([
    ['http://127.0.0.1:6000', 6000],
    ['https://id.example:25/roots?key=1', 25],
    ['https://id.example', undefined],
    ['http://id.example:80', undefined],
    ['http://id.example:8545', undefined],
    ['http://[::1]:10080', 10_080],
  ])('of %s is %j', (url, port) => {
    expect(blockedPortOf(url)).toBe(port);
  });
});
