// Rules: spec/operations.md#admin-address
import { networkInterfaces } from 'node:os';
import { expect, it } from 'vitest';
import { startProductionApp } from '../support/server/production-app.ts';
import { rawRequest } from '../support/server/raw-client.ts';

const TOKEN = 'a-token-that-nobody-guesses-0123456789';
const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((entry) => entry?.address === '::1');

it.each(['0.0.0.0', ...(hasIpv6 ? ['::'] : [])])(
  'at %s in a network that encrypts by itself, the admin listener answers probes, and others only with a token',
  async (host) => {
    const settings = { 'admin.host': host, 'admin.allowPlainHttp': 'true' };
    const { adminUrl, stop } = await startProductionApp({ settings });
    const statusOf = async (path: string, header: string): Promise<number> => {
      const request = `GET ${path} HTTP/1.1\r\n${header}\r\n\r\n`;
      return (await rawRequest(Number(new URL(adminUrl).port), request)).status;
    };
    // A kubelet names the address of the pod.
    for (const pod of [
      '100.64.12.7:9090',
      '[fd00:10:244::7]:9090',
      '203.0.113.7:9090',
      '[2001:db8::7]:9090',
    ]) {
      expect(await statusOf('/health/live', `Host: ${pod}`), pod).toBe(200);
      expect(await statusOf('/health/ready', `Host: ${pod}`), pod).toBe(200);
    }
    for (const path of ['/metrics', '/admin/v1/status']) {
      expect(await statusOf(path, 'Host: 203.0.113.7'), path).toBe(401);
      expect(await statusOf(path, `Host: 203.0.113.7\r\nAuthorization: Bearer ${TOKEN}`), path).toBe(200);
    }
    await stop();
  },
);
