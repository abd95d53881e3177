// Rules: spec/operations.md#process-model
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startApp } from '../support/server/start-app.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it('a start that fails for its port leaves no timer, no lock and no row in the audit log', async () => {
  const dataDir = temporaryFolder('failed', onTestFinished);
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const [begun, ended] = [vi.spyOn(globalThis, 'setInterval'), vi.spyOn(globalThis, 'clearInterval')];
  onTestFinished(() => {
    begun.mockRestore();
    ended.mockRestore();
  });
  await expect(startApp({ dataDir, settings: { 'admin.port': String(port) } })).rejects.toThrow(String(port));
  const timers = begun.mock.results.map(({ value }) => value as unknown);
  expect(timers.length).toBeGreaterThan(0);
  expect(ended.mock.calls.map(([timer]) => timer)).toEqual(expect.arrayContaining(timers));
  // this process has both starts, so that a lock of the first would refuse the second
  const app = await startApp({ dataDir });
  const store = await app.openStore();
  expect(await store.audit.list({ action: 'config.applied' }, 10)).toHaveLength(1);
  await store.close();
  await app.stop();
});
