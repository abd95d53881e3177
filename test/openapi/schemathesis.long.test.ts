/** Requests made from the OpenAPI documents. Rules: src/docs/spec/operations.md#openapi. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/admin/index.ts';
import { type StartedApp, startApp } from '../support/server/start-app.ts';
import { isSchemathesisPresent, runSchemathesis, SCHEMATHESIS_SKIP } from './support/schemathesis.ts';

const TOKEN = 'test-admin-token-with-32-characters-or-more';
const MINUTES = 60_000;

const OPTIONS = { timeout: 8 * MINUTES } as const;

describe.skipIf(!isSchemathesisPresent)(`schemathesis${SCHEMATHESIS_SKIP}`, OPTIONS, () => {
  let app: StartedApp;
  // One service for each run, since an operator can change what the other listener answers.
  beforeEach(async () => {
    app = await startApp({ settings: { 'admin.token': TOKEN, 'engine.workers': '1' } });
  });
  afterEach(() => app?.stop());

  it('has no finding in the calls of the admin listener', async () => {
    const { findings, cases, operations } = await runSchemathesis({
      documentUrl: `${app.adminUrl}/openapi.json`,
      configFile: 'schemathesis-admin.toml',
      environment: { PROOFGATE_TEST_TOKEN: TOKEN },
    });
    expect(findings, findings).toBe('');
    expect(operations).toBe(OPERATIONS.length);
    expect(cases).toBeGreaterThan(20 * operations);
  });

  it('has no finding in the calls of the public listener', async () => {
    const { findings, cases, operations } = await runSchemathesis({
      documentUrl: `${app.publicUrl}/openapi.json`,
      configFile: 'schemathesis-public.toml',
      environment: {},
    });
    expect(findings, findings).toBe('');
    expect(operations).toBeGreaterThan(40);
    expect(cases).toBeGreaterThan(20 * operations);
  });
});
