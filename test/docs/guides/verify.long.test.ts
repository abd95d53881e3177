import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CIRCUIT_SKIP, developmentCircuit } from '../../support/crypto/development-circuit.ts';
import { type DevelopmentService, startDevelopmentService } from './support/development-service.ts';
import { runShell } from './support/program.ts';
import { jsonSnippet, makeScratch, snippet } from './support/snippets.ts';
import { goModule, missingFastApi, missingGo, pythonEnvironment } from './support/toolchains.ts';
import { describeBackEnd } from './support/verify-backend.ts';

describeBackEnd({
  name: 'Express (TypeScript)',
  missing: undefined,
  files: ['proofgate.ts', 'server.ts'],
  start: 'start-express.sh',
  prepare: () => ({}),
});

describeBackEnd({
  name: 'FastAPI (Python)',
  missing: missingFastApi(),
  files: ['proofgate.py', 'main.py'],
  start: 'start-fastapi.sh',
  prepare: pythonEnvironment,
});

describeBackEnd({
  name: 'Go',
  missing: missingGo(),
  files: ['proofgate.go', 'main.go'],
  start: 'start-go.sh',
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
