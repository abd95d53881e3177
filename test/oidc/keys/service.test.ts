import { describe, expect, it, vi } from 'vitest';
import { opened } from '../../support/opened.ts';
import { startApp } from '../../support/server/start-app.ts';
import { CACHE, createClock } from './support/key-folder.ts';

const clock = createClock();

const app = opened(() => startApp({ now: clock.now, isFirstStart: true }), 'stop');
const store = opened(() => app.openStore(), 'close');

describe('the service and its signing keys', () => {
  it('logs the creation of the first keys, with the kid alone', async () => {
    const [active] = await store.signingKeys.list('signin', clock.now());
    const [line] = app.logLines('key.created');
    expect(line).toMatchObject({ event: 'key.created', keyId: active?.kid });
    expect(app.log()).not.toContain(active?.privateJwk);
  });

  it('exposes their ages and the time to the next rotation at /metrics', async () => {
    clock.advance(100);
    const text = await (await fetch(`${app.adminUrl}/metrics`)).text();
    expect(text).toContain('proofgate_key_age_seconds{use="signin",state="active"} 100\n');
    expect(text).toContain('proofgate_key_age_seconds{use="signin",state="next"} 100\n');
    expect(text).toContain('proofgate_key_next_rotation_seconds{use="signin",state="active"} 2591900\n');
  });

  it('is unready while the active key cannot be opened', async () => {
    const ready = async (): Promise<number> => (await fetch(`${app.adminUrl}/health/ready`)).status;
    await vi.waitFor(async () => expect(await ready()).toBe(200), { timeout: 180_000 });
    const [active] = await store.signingKeys.list('signin', clock.now());
    const { kid = '', privateJwk = '' } = active ?? {};
    await store.signingKeys.reseal(kid, privateJwk, '{}');
    clock.advance(CACHE);
    await vi.waitFor(async () => expect(await ready()).toBe(503), { timeout: 180_000 });
    const report = (await (await fetch(`${app.adminUrl}/health/ready`)).json()) as {
      checks: { keys: { status: string } };
    };
    expect(report.checks.keys.status).toBe('failed');
    await store.signingKeys.reseal(kid, '{}', privateJwk);
    clock.advance(CACHE);
    await vi.waitFor(async () => expect(await ready()).toBe(200), { timeout: 180_000 });
  });
});
