import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CIRCUIT_SKIP, developmentCircuit } from '../../support/crypto/development-circuit.ts';
import { startApp } from '../../support/server/start-app.ts';
import { addClient, SECRET_HMAC_KEY } from '../../support/signin/clients.ts';
import { type DevelopmentService, startDevelopmentService } from './support/development-service.ts';
import { runShell } from './support/program.ts';
import { jsonSnippet, makeScratch, ROOT, snippet } from './support/snippets.ts';
import { goModule, missingFastApi, missingGo, pythonEnvironment } from './support/toolchains.ts';
import { describeBackEnd } from './support/verify-backend.ts';

describeBackEnd({
  name: 'Express (TypeScript)',
  missing: undefined,
  files: ['proofgate.ts', 'server.ts'],
  start: 'start-express.sh',
  signs: true,
  prepare: () => ({}),
});

describeBackEnd({
  name: 'FastAPI (Python)',
  missing: missingFastApi(),
  files: ['proofgate.py', 'main.py'],
  start: 'start-fastapi.sh',
  signs: false,
  prepare: pythonEnvironment,
});

describeBackEnd({
  name: 'Go',
  missing: missingGo(),
  files: ['proofgate.go', 'main.go'],
  start: 'start-go.sh',
  signs: false,
  prepare: goModule,
});

describe.skipIf(developmentCircuit === undefined)(`the commands of verify.md${CIRCUIT_SKIP}`, () => {
  const scratch = makeScratch();
  let service: DevelopmentService;
  beforeAll(async () => {
    service = await startDevelopmentService();
  });
  afterAll(async () => {
    await service?.end();
    scratch.end();
  });

  it('print the answers of the guide, first new and then reuse', async () => {
    const { stdout, stderr } = await runShell(scratch, 'verify', ['ask.sh', 'ask-again.sh'], service);
    const answers = stdout.match(/\{"success".*?\}(?=\{"success"|\s*$)/gs) ?? [];
    const [first, second, ...more] = answers.map((text) => JSON.parse(text) as Record<string, unknown>);
    expect(more, stderr).toEqual([]);
    const shown = jsonSnippet('verify', 'new.json');
    const word = expect.stringMatching(/^0x[0-9a-f]{64}$/);
    expect(first).toEqual({
      ...shown,
      nullifier: word,
      created_at: expect.stringMatching(/Z$/),
      results: [{ identifier: 'orb', success: true, nullifier: first?.nullifier }],
    });
    expect(Object.keys(first ?? {})).toEqual(Object.keys(shown));
    expect(second).toEqual({ ...first, message: 'Proof verified successfully (nullifier reuse)' });
  });
});

describe('the commands of verify.md for any circuit', () => {
  it('import a key and check a proof under it, with a token where one is required', async () => {
    const scratch = makeScratch();
    symlinkSync(join(ROOT, 'circuits'), join(scratch.folder, 'circuits'));
    const settings = { 'groth16.requireToken': 'true', 'apps.secretHmacKey': SECRET_HMAC_KEY };
    // A key is imported into the store of each.
    const [open, closed] = await Promise.all([startApp(), startApp({ settings })]);
    try {
      const serviceOf = ({ publicUrl, dataDir }: typeof open) => ({
        baseUrl: publicUrl,
        env: { PROOFGATE_PROFILE: 'test', PROOFGATE_DATA_DIR: dataDir },
      });
      const files = ['import.sh', 'any-circuit.sh'];
      const first = await runShell(scratch, 'verify', files, serviceOf(open));
      expect(JSON.parse(first.stdout.split('\n').at(-1) ?? ''), first.stderr).toEqual(
        jsonSnippet('verify', 'valid.json'),
      );
      const store = await closed.openStore();
      const { clientId, clientSecret } = await addClient(store);
      await store.close();
      const before = `APP_ID=${clientId} APP_SECRET=${clientSecret}`;
      const second = await runShell(
        scratch,
        'verify',
        ['import.sh', 'with-token.sh'],
        serviceOf(closed),
        before,
      );
      expect(JSON.parse(second.stdout.split('\n').at(-1) ?? ''), second.stderr).toEqual({ valid: true });
    } finally {
      await Promise.all([open.stop(), closed.stop()]);
      scratch.end();
    }
  });
});

describe('the table of verify.md', () => {
  it('takes a nullifier once', () => {
    const database = new Database(':memory:');
    const [create = '', insert = ''] = snippet('verify', 'votes.sql').split('\n');
    database.exec(create);
    const changes = (): number => database.prepare(insert.replace(/;.*/, '')).run().changes;
    expect([changes(), changes()]).toEqual([1, 0]);
    database.close();
  });
});
