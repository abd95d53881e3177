// Rules: spec/verification.md#schema-messages
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type StartedApp, startApp } from '../../support/server/start-app.ts';
import { SCHEMA_ROWS } from '../support/schema-rows.ts';
import { expectError, post } from '../support/verify-client.ts';

let app: StartedApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

describe('POST /api/v4/verify with a body that violates the schema', () => {
  // the schema is checked before the id of the path
  it.each(SCHEMA_ROWS)('$name', async ({ body, detail, attribute }) => {
    const reply = await post(app.publicUrl, 'no-such-form', body === 'x' ? '"x"' : body);
    expectError(reply, 400, { code: 'validation_error', detail, attribute });
  });
});
