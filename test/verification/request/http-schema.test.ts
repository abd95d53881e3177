// Rules: spec/verification.md#schema-messages
import { beforeAll, describe, it } from 'vitest';
import { type SharedApp, useSharedApp } from '../../support/signin/shared-service.ts';
import { SCHEMA_ROWS } from '../support/schema-rows.ts';
import { expectError, post } from '../support/verify-client.ts';

let app: SharedApp;
beforeAll(async () => {
  app = await useSharedApp();
});

describe('POST /api/v4/verify with a body that violates the schema', () => {
  // the schema is checked before the id of the path
  it.each(SCHEMA_ROWS)('$name', async ({ body, detail, attribute }) => {
    const reply = await post(app.publicUrl, 'no-such-form', body === 'x' ? '"x"' : body);
    expectError(reply, 400, { code: 'validation_error', detail, attribute });
  });
});
