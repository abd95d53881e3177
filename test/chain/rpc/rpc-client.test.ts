import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createRpcClient, type RpcClient } from '../../../src/chain/rpc/rpc-client.ts';
import type { RpcFailure, RpcFailureClass } from '../../../src/chain/rpc/rpc-failure.ts';
import {
  endlessBody,
  gzipBomb,
  hang,
  hangUp,
  json,
  manyLogs,
  raw,
  slowBody,
} from '../../support/chain/broken-answers.ts';
import {
  type BrokenAnswer,
  type FakeProvider,
  startFakeProvider,
} from '../../support/chain/fake-provider.ts';
import { ScriptedChain, scriptedBackend } from '../../support/chain/scripted-chain.ts';
import { freePort } from '../../support/free-port.ts';
import { until } from '../../support/until.ts';

const LIMITS = { timeoutMs: 60_000, maxResponseBytes: 100_000 };
const refusal = (failureClass: RpcFailureClass): unknown => expect.objectContaining({ failureClass });
let provider: FakeProvider;
let client: RpcClient;

beforeAll(async () => {
  provider = await startFakeProvider(scriptedBackend(new ScriptedChain()));
  client = createRpcClient(provider.url, LIMITS);
});
afterEach(() => {
  provider.broken = undefined;
});
afterAll(async () => {
  await provider.close();
});

async function failureOf(broken: BrokenAnswer, method = 'eth_chainId'): Promise<RpcFailure> {
  provider.broken = broken;
  return client.call(method, []).then(
    (result) => expect.fail(`got ${JSON.stringify(result)}`),
    (failure: RpcFailure) => failure,
  );
}

describe('a JSON-RPC call', () => {
  it('is one POST with an id of its own, and without a cookie', async () => {
    provider.broken = (response, { id }) => {
      response.setHeader('Set-Cookie', 'session=1').end(`{"jsonrpc":"2.0","id":${id},"result":"0x1"}`);
    };
    await client.call('eth_chainId', []);
    provider.broken = undefined;
    expect(await client.call('eth_getBlockByNumber', ['0x5', false])).toBeNull();
    const [first, second] = provider.calls.slice(-2);
    expect(second).toMatchObject({ method: 'eth_getBlockByNumber', params: ['0x5', false] });
    expect(second?.id).toBe(Number(first?.id) + 1);
    expect(second?.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(second?.headers).not.toHaveProperty('cookie');
    expect(second?.headers).not.toHaveProperty('authorization');
  });

  it('sends the credentials of its URL as Basic authentication', async () => {
    const url = provider.url.replace('://', '://us%40er:pa%3Ass@');
    await createRpcClient(url, LIMITS).call('eth_chainId', []);
    const header = `Basic ${Buffer.from('us@er:pa:ss').toString('base64')}`;
    expect(provider.calls.at(-1)?.headers.authorization).toBe(header);
  });

  it('names its host without path, query and credentials', () => {
    const { host, hostname } = createRpcClient('https://user:pass@RPC.example.:8443/v2/key?key=key', LIMITS);
    expect({ host, hostname }).toEqual({ host: 'rpc.example.:8443', hostname: 'rpc.example' });
  });

  it('takes a result with any content type', async () => {
    provider.broken = (response, { id }) => {
      response.setHeader('Content-Type', 'text/html').end(`{"jsonrpc":"2.0","id":${id},"result":[null]}`);
    };
    expect(await client.call('eth_chainId', [])).toEqual([null]);
  });

  it.each([200, 400, 429, 500])('fails with the error in a body of status %i', async (status) => {
    const error = { code: -32_000, message: 'invalid api key' };
    const failure = await failureOf(json((id) => ({ jsonrpc: '2.0', id, error }), status));
    expect(failure.failureClass).toBe(status === 429 ? 'rate_limited' : 'refused');
    expect(failure.message).toBe('error -32000: "invalid api key"');
  });

  it('fails with an error for a request whose id was not read', async () => {
    const error = { code: -32_700, message: 'Too many requests' };
    expect(await failureOf(json(() => ({ jsonrpc: '2.0', id: null, error })))).toEqual(
      refusal('rate_limited'),
    );
  });

  it.each<[string, BrokenAnswer]>([
    ['HTML', raw(200, '<html>Welcome</html>')],
    ['nothing', raw(200, '')],
    ['bytes that are not UTF-8', (response) => response.end(Buffer.from([0x22, 0xff, 0x22]))],
    ['an array', json((id) => [{ jsonrpc: '2.0', id, result: '0x1' }])],
    ['the id of another call', json((id) => ({ jsonrpc: '2.0', id: id + 1, result: '0x1' }))],
    ['its id as a text', json((id) => ({ jsonrpc: '2.0', id: String(id), result: '0x1' }))],
    ['no id for a result', json(() => ({ jsonrpc: '2.0', id: null, result: '0x1' }))],
    ['another version', json((id) => ({ jsonrpc: '1.0', id, result: '0x1' }))],
    ['no version', json((id) => ({ id, result: '0x1' }))],
    ['neither result nor error', json((id) => ({ jsonrpc: '2.0', id }))],
    [
      'both result and error',
      json((id) => ({ jsonrpc: '2.0', id, result: '0x1', error: { code: 1, message: 'no' } })),
    ],
    ['an error without code', json((id) => ({ jsonrpc: '2.0', id, error: { message: 'no' } }))],
    ['an error that is a text', json((id) => ({ jsonrpc: '2.0', id, error: 'no' }))],
    ['more bytes than allowed', json((id) => ({ jsonrpc: '2.0', id, result: 'x'.repeat(100_000) }))],
    ['a body without end', endlessBody],
    ['10^6 logs', manyLogs(1_000_000)],
    ['100 MB in a small gzip body', gzipBomb(100_000_000)],
    ['a status of success that is not 200', json((id) => ({ jsonrpc: '2.0', id, result: '0x1' }), 202)],
  ])('is bad_response for %s', async (_name, broken) => {
    expect(await failureOf(broken)).toEqual(refusal('bad_response'));
  });

  it.each<[RpcFailureClass, string, BrokenAnswer]>([
    ['unreachable', 'a closed connection', hangUp],
    ['unreachable', 'a redirect', raw(302, '', { Location: 'http://127.0.0.1:1/' })],
    ['unreachable', 'status 502 with HTML', raw(502, '<html>Bad gateway</html>')],
    ['unreachable', 'status 500 with a result', json((id) => ({ jsonrpc: '2.0', id, result: '0x1' }), 500)],
    ['refused', 'status 401', raw(401, '')],
    ['refused', 'status 403', raw(403, 'Forbidden')],
    ['rate_limited', 'status 429', raw(429, 'slow down')],
  ])('is %s for %s', async (failureClass, _name, broken) => {
    expect(await failureOf(broken)).toEqual(refusal(failureClass));
  });

  it('is of a range for status 413 of logs', async () => {
    expect(await failureOf(raw(413, ''), 'eth_getLogs')).toEqual(refusal('range'));
  });

  it.each([
    ['5', 5000],
    ['0', 0],
    ['86400', 300_000],
    ['Fri, 31 Dec 2100 23:59:59 GMT', 300_000],
    [new Date(0).toUTCString(), 0],
    ['soon', undefined],
  ])('passes on the pause of Retry-After: %s', async (value, retryAfterMs) => {
    const failure = await failureOf(raw(429, '', { 'Retry-After': value }));
    expect(failure.details.retryAfterMs).toBe(retryAfterMs);
  });

  it.each<[string, BrokenAnswer]>([
    ['an answer', hang],
    ['the rest of a body', slowBody],
  ])('waits for %s until its timeout', async (_name, broken) => {
    provider.broken = broken;
    const impatient = createRpcClient(provider.url, { ...LIMITS, timeoutMs: 50 });
    await expect(impatient.call('eth_chainId', [])).rejects.toThrow('no answer within 50 ms');
  });

  it('is unreachable without a server, and never shows its URL', async () => {
    const url = `http://127.0.0.1:${await freePort()}/v2/secret-key`;
    const failure = await createRpcClient(url, LIMITS)
      .call('eth_chainId', [])
      .catch((cause: RpcFailure) => cause);
    expect(failure).toEqual(refusal('unreachable'));
    expect((failure as RpcFailure).message).toBe('no answer: ECONNREFUSED');
  });

  it('hides the parts of its URL that a provider repeats in an error', async () => {
    const url = new URL(provider.url);
    const keys = { user: 'some-user', password: 'pass/word', path: 'secret-key', query: 'query key' };
    url.username = keys.user;
    url.password = encodeURIComponent(keys.password);
    url.searchParams.set('key', keys.query);
    const message = `invalid api key: ${Object.values(keys).join(', ')} in ${url.pathname}${url.search}, v2`;
    provider.broken = json((id) => ({ jsonrpc: '2.0', id, error: { code: -32_000, message } }));
    const failure = await createRpcClient(url.href, LIMITS)
      .call('eth_chainId', [])
      .catch((cause: RpcFailure) => cause);
    expect(failure).toEqual(refusal('refused'));
    expect((failure as RpcFailure).message).toContain('invalid api key: …, …, …, … in /v2/…?key=');
    expect((failure as RpcFailure).message).not.toMatch(/some-user|pass|secret|query/);
  });

  it('ends with the reason of the signal when the service stops, and none begins after that', async () => {
    provider.broken = hang;
    const stop = new AbortController();
    const stoppable = createRpcClient(provider.url, LIMITS, stop.signal);
    const before = provider.calls.length;
    const calls = Promise.allSettled(Array.from({ length: 20 }, () => stoppable.call('eth_chainId', [])));
    await until(() => provider.calls.length === before + 20);
    const reason = new Error('the service stops');
    stop.abort(reason);
    expect(new Set(await calls)).toEqual(
      new Set(Array.from({ length: 20 }, () => ({ status: 'rejected', reason }))),
    );
    await expect(stoppable.call('eth_chainId', [])).rejects.toBe(reason);
    expect(provider.calls).toHaveLength(before + 20);
  });
});
