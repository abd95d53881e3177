/** Requests made from the OpenAPI documents. Rules: src/docs/spec/operations.md#openapi. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/operations/table.ts';
import { type StartedApp, startApp } from '../support/server/start-app.ts';
import { isSchemathesisPresent, runSchemathesis, SCHEMATHESIS_SKIP } from './support/schemathesis.ts';

const TOKEN = 'test-admin-token-with-32-characters-or-more';
const MINUTES = 60_000;

describe.skipIf(!isSchemathesisPresent)(`schemathesis${SCHEMATHESIS_SKIP}`, { timeout: 8 * MINUTES }, () => {
  // Of its own for each run: the calls of the admin API can stop what the public listener serves.
  let app: StartedApp;
  beforeEach(async () => {
    const settings = { 'admin.token': TOKEN, 'engine.workers': '1', 'verify.worldid4.enabled': 'true' };
    app = await startApp({ settings });
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
    expect(cases).toBeGreaterThan(20 * OPERATIONS.length);
  });

  it('has no finding in the calls of the public listener', async () => {
    const { findings, cases, operations } = await runSchemathesis({
      documentUrl: `${app.publicUrl}/openapi.json`,
      configFile: 'schemathesis-public.toml',
      environment: {},
    });
    expect(findings, findings).toBe('');
    expect(operations).toBeGreaterThan(60);
    expect(cases).toBeGreaterThan(20 * operations);
  });
});
