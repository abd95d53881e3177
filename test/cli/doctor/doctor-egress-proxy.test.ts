// Rules: spec/operations.md#egress-proxy
import { describe, expect, it } from 'vitest';
import { checkEgressProxy } from '../../../src/cli/doctor/checks/egress-proxy.ts';
import { examineConfig } from '../../../src/config/sources/load.ts';
import { freePort } from '../../support/free-port.ts';
import { openProxy } from '../../support/server/egress-proxy.ts';

const BASE = { PROOFGATE_BASE_URL: 'https://id.example' };

async function check(env: Record<string, string>): Promise<unknown[][]> {
  const { config, faults } = await examineConfig({ env: { ...BASE, ...env }, cwd: import.meta.dirname });
  expect(faults).toEqual([]);
  const results = await checkEgressProxy(config);
  expect(JSON.stringify(results)).not.toContain('secret');
  return results.map(({ name, status, detail }) => [name, status, detail]);
}

describe('doctor, the proxy of outgoing calls', () => {
  it('says that there is none', async () => {
    expect(await check({})).toEqual([['egress proxy', 'ok', 'none: calls to other systems leave directly']]);
  });

  it('tries a host that is called through it, and names the exceptions', async () => {
    const target = await openProxy();
    const { port, seen } = await openProxy({
      names: { 'hooks.example:443': target.port },
      credentials: 'alice:secret',
    });
    const env = {
      HTTPS_PROXY: `http://alice:secret@127.0.0.1:${port}`,
      NO_PROXY: 'id.example',
      PROOFGATE_WEBHOOKS_URL: 'https://hooks.example/secret',
      PROOFGATE_WEBHOOKS_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
    };
    expect(await check(env)).toEqual([
      [
        'egress proxy',
        'ok',
        `http://127.0.0.1:${port} lets calls through, tried to hooks.example:443; without it: id.example`,
      ],
    ]);
    expect(seen).toEqual(['CONNECT hooks.example:443']);
  });

  it('fails for one that is not there, or wants other credentials', async () => {
    const closed = await freePort();
    expect(await check({ HTTPS_PROXY: `http://127.0.0.1:${closed}` })).toEqual([
      ['egress proxy', 'fail', `no answer from the proxy http://127.0.0.1:${closed}: ECONNREFUSED`],
    ]);
    const { port } = await openProxy({ credentials: 'alice:other' });
    expect(await check({ HTTPS_PROXY: `http://alice:secret@127.0.0.1:${port}` })).toEqual([
      ['egress proxy', 'fail', `the proxy http://127.0.0.1:${port} answered 407: it wants other credentials`],
    ]);
  });

  it('warns of a host that it refuses, but not of CONNECT that is used for no call', async () => {
    const { port } = await openProxy({ status: 403 });
    expect(await check({ HTTPS_PROXY: `http://127.0.0.1:${port}` })).toEqual([
      ['egress proxy', 'warn', `the proxy http://127.0.0.1:${port} answered 403 for id.example:443`],
    ]);
    expect(await check({ HTTP_PROXY: `http://127.0.0.1:${port}` })).toEqual([
      ['egress proxy', 'ok', `http://127.0.0.1:${port} answers`],
    ]);
  });
});
