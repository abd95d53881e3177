// Rules: spec/verification.md#request-fields
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { bodySchema, ITEM_SCHEMA } from '../../../src/verification/request/request-schema.ts';

describe('the schemas of a request', () => {
  it.each([
    ['body', bodySchema(16)],
    ['item', ITEM_SCHEMA],
  ])('are valid schemas of the dialect of OpenAPI 3.1: %s', (_, schema) => {
    const ajv = new Ajv2020();
    expect(ajv.validateSchema(schema), ajv.errorsText()).toBe(true);
  });
});
