import { describe, expect, it, onTestFinished } from 'vitest';
import { DEMO_CLIENT_ID } from '../../src/development/demo-client.ts';
import { fakeCircuit } from '../support/crypto/fake-circuit.ts';
import { opened } from '../support/opened.ts';
import { startAppOfTest } from '../support/server/app-of-test.ts';
import { startProductionApp } from '../support/server/production-app.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ID = '00000000-0000-4000-8000-000000000000';

/** Served outside production. */
const DEVELOPMENT_ROUTES: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/wallet'],
  ['POST', '/wallet/api/enroll'],
  ['GET', '/wallet/api/inclusion-proof'],
  ['GET', '/wallet/api/inclusion-proof?tree=orb&commitment=0x1'],
  ['GET', '/wallet/api/apps'],
  ['POST', '/wallet/api/worldid4-proof'],
  ['POST', '/wallet/api/worldid4-answer'],
  ['GET', '/wallet/circuit/semaphore-depth30.wasm'],
  ['GET', '/wallet/circuit/semaphore-depth30.zkey'],
  ['GET', '/wallet/snarkjs.min.js'],
  ['GET', '/demo'],
  ['GET', '/demo/callback'],
  ['POST', '/demo/callback'],
];
/** The root alias of the bridge, which production has off by default; an unknown id is 404 there, too. */
const ROOT_ALIAS = [
  ['POST', '/request'],
  ['GET', `/response/${ID}`],
] as const;

describe('a service in profile test', () => {
  it('has every route that production lacks', async () => {
    const dataDir = temporaryFolder('routes', onTestFinished);
    await fakeCircuit(dataDir);
    const app = await startAppOfTest({ dataDir, settings: { 'verify.worldid4.enabled': 'true' } });
    for (const [method, path] of [...DEVELOPMENT_ROUTES, ROOT_ALIAS[0]]) {
      const answer = await fetch(app.publicUrl + path, { method });
      // A known route may answer 404 too, but with a body of its own.
      expect(await answer.text(), `${method} ${path}`).not.toContain('"Not found."');
    }
  });
});

describe('a service in profile production', () => {
  // With the files of a circuit, which development would serve.
  const app = opened(
    () =>
      startProductionApp({
        settings: { 'verify.worldid4.enabled': 'true' },
        prepare: (dataDir) => fakeCircuit(dataDir),
      }),
    'stop',
  );

  it('serves sign-in', async () => {
    expect((await fetch(`${app.publicUrl}/.well-known/openid-configuration`)).status).toBe(200);
    expect((await fetch(`${app.publicUrl}/authorize`)).status).toBe(400);
  });

  it.each([...DEVELOPMENT_ROUTES, ...ROOT_ALIAS])(
    'has no wallet, demo or root alias: %s %s is 404 in the union body',
    async (method, path) => {
      const answer = await fetch(`${app.publicUrl}${path}`, { method });
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ code: 'not_found', detail: 'Not found.' });
    },
  );

  it('has no way to overwrite a bridge request', async () => {
    const answer = await fetch(`${app.publicUrl}/bridge/request/${ID}`, { method: 'PUT' });
    expect(answer.status).toBe(405);
    expect(await answer.json()).toMatchObject({ code: 'method_not_allowed' });
  });

  it('has no client of the demo', async () => {
    const store = await app.openStore();
    onTestFinished(() => store.close());
    expect((await store.apps.list()).map(({ appId }) => appId)).not.toContain(DEMO_CLIENT_ID);
  });
});
