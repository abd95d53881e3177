// Rules: spec/operations.md#egress-proxy
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { examineConfig } from '../../../src/config/sources/load.ts';
import type { ExaminedConfig } from '../../../src/config/sources/loaded-config.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const examine = (env: Record<string, string>): Promise<ExaminedConfig> =>
  examineConfig({ env, cwd: import.meta.dirname });

/** Names of the proxies for http and https, and the exceptions. */
async function proxiesOf(env: Record<string, string>): Promise<unknown[]> {
  const { config, faults } = await examine(env);
  expect(faults).toEqual([]);
  const { http, https, exceptions } = config.outgoing.proxies;
  return [http?.name, https?.name, exceptions];
}

describe('the proxies of outgoing calls', () => {
  it.each([
    ['nothing', {}, [undefined, undefined, []]],
    ['HTTPS_PROXY', { HTTPS_PROXY: 'http://a:1' }, [undefined, 'http://a:1', []]],
    ['https_proxy', { https_proxy: 'http://a:1' }, [undefined, 'http://a:1', []]],
    ['HTTP_PROXY', { HTTP_PROXY: 'http://a:1' }, ['http://a:1', undefined, []]],
    ['http_proxy', { http_proxy: 'http://a:1' }, ['http://a:1', undefined, []]],
    ['ALL_PROXY', { ALL_PROXY: 'a:1' }, ['http://a:1', 'http://a:1', []]],
    ['all_proxy', { all_proxy: 'a:1' }, ['http://a:1', 'http://a:1', []]],
    ['both cases', { HTTPS_PROXY: 'http://a:1', https_proxy: 'http://b:1' }, [undefined, 'http://b:1', []]],
    ['an empty one', { HTTPS_PROXY: 'http://a:1', https_proxy: '' }, [undefined, 'http://a:1', []]],
    ['one of spaces', { HTTPS_PROXY: ' http://a:1', https_proxy: ' ' }, [undefined, 'http://a:1', []]],
    [
      'one for all and one for https',
      { ALL_PROXY: 'http://a:1', HTTPS_PROXY: 'http://b:1' },
      ['http://a:1', 'http://b:1', []],
    ],
    [
      'NO_PROXY with commas and spaces',
      { ALL_PROXY: 'http://a:1', NO_PROXY: 'x, .y  10.0.0.0/8,' },
      ['http://a:1', 'http://a:1', ['x', '.y', '10.0.0.0/8']],
    ],
    ['no_proxy for all', { ALL_PROXY: 'http://a:1', no_proxy: '*' }, [undefined, undefined, ['*']]],
    [
      'settings besides variables',
      {
        HTTPS_PROXY: 'http://a:1',
        HTTP_PROXY: 'http://b:1',
        NO_PROXY: '*',
        PROOFGATE_OUTGOING_PROXY: 'http://c:1',
        PROOFGATE_OUTGOING_NO_PROXY: 'x,y',
      },
      ['http://c:1', 'http://c:1', ['x', 'y']],
    ],
    [
      'a setting against a variable',
      { HTTPS_PROXY: 'socks5://a:1', PROOFGATE_OUTGOING_NO_PROXY: '*' },
      [undefined, undefined, ['*']],
    ],
  ])('follow from %s', async (_, env, expected) => {
    expect(await proxiesOf(env)).toEqual(expected);
  });

  it('may be in a secret file', async () => {
    const file = join(temporaryFolder('proxy', onTestFinished), 'proxy');
    writeFileSync(file, 'http://alice:secret@a:1\n', { mode: 0o600 });
    expect(await proxiesOf({ PROOFGATE_OUTGOING_PROXY_FILE: file })).toEqual([
      'http://a:1',
      'http://a:1',
      [],
    ]);
  });

  it.each([
    [
      'PROOFGATE_OUTGOING_PROXY',
      'ftp://alice:secret@a:1',
      /^outgoing\.proxy \(PROOFGATE_OUTGOING_PROXY\): exp/,
    ],
    [
      'PROOFGATE_OUTGOING_NO_PROXY',
      'x,10.0.0.0/99',
      /^outgoing\.noProxy \(PROOFGATE_OUTGOING_NO_PROXY\): expe/,
    ],
  ])('are refused when %s is %s, by name and without its value', async (name, value, fault) => {
    const { faults } = await examine({ [name]: value });
    expect(faults).toEqual([expect.stringMatching(fault)]);
    expect(faults.join()).not.toMatch(/secret|sec#ret/);
  });

  it.each([
    ['HTTPS_PROXY', 'socks5://alice:secret@a:1'],
    ['all_proxy', 'http://alice:sec#ret@a:1'],
  ])(
    'leave out %s of another form, since it may be meant for other programs, with a warning',
    async (name, value) => {
      const { config, faults, warnings } = await examine({ [name]: value });
      expect(faults).toEqual([]);
      expect(warnings).toEqual([
        expect.stringMatching(new RegExp(`^${name} is not used: expected http:.*outgoing\\.noProxy to \\*`)),
      ]);
      expect(warnings.join()).not.toMatch(/secret|sec#ret/);
      expect(config.outgoing.proxies).toEqual({ http: undefined, https: undefined, exceptions: [] });
    },
  );

  it('take of NO_PROXY what they understand, since other programs read it, too', async () => {
    const [, https] = await proxiesOf({ HTTPS_PROXY: 'http://a:1', NO_PROXY: '10.0.0.0/99,<local>' });
    expect(https).toBe('http://a:1');
  });
});
