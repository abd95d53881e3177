// Rules: spec/operations.md#admin-api
import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import { rawRequest } from '../support/server/raw-client.ts';
import { startApp } from '../support/server/start-app.ts';

it('the admin listener answers for its own names and those of admin.allowedHosts, on every path', async () => {
  const { adminUrl, publicUrl, stop } = await startApp({
    settings: { 'admin.allowedHosts': 'proofgate,ops.example', baseUrl: 'https://id.example' },
  });
  const statusOf = async (url: string, path: string, host: string): Promise<number> => {
    const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    return (await rawRequest(Number(new URL(url).port), request)).status;
  };
  for (const host of ['proofgate:9090', 'OPS.example', 'id.example', hostname(), 'localhost', '127.0.0.1']) {
    expect(await statusOf(adminUrl, '/health/live', host), host).toBe(200);
  }
  for (const path of ['/health/live', '/metrics', '/', '/openapi.json', '/admin/v1/status', '/unknown']) {
    expect(await statusOf(adminUrl, path, 'rebound.example:9090'), path).toBe(421);
  }
  expect(await statusOf(publicUrl, '/healthz', 'rebound.example')).toBe(200);
  await stop();
});
