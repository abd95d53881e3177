// Rules: spec/verification.md#request-fields
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { bodySchema, ITEM_SCHEMA } from '../../../src/verification/request/request-schema.ts';

describe('the schemas of a request', () => {
  it.each([
    ['body', bodySchema(16)],
    ['item', ITEM_SCHEMA],
  ])('are valid schemas of draft-07: %s', (_, schema) => {
    const ajv = new Ajv();
    expect(ajv.validateSchema(schema), ajv.errorsText()).toBe(true);
  });
});
