// Rules: spec/verification.md#request-fields, spec/worldid4.md#request
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { bodySchema, ITEM_SCHEMA } from '../../../src/verification/request/request-schema.ts';
import { body4Schema, item4Schema } from '../../../src/verification/worldid4/request4-schema.ts';

describe('the schemas of a request', () => {
  it.each([
    ['3.0 body', bodySchema(16)],
    ['3.0 item', ITEM_SCHEMA],
    ['4.0 body', body4Schema(16)],
    ['4.0 uniqueness item', item4Schema('uniqueness')],
    ['4.0 session item', item4Schema('session')],
  ])('are valid schemas of the dialect of OpenAPI 3.1: %s', (_, schema) => {
    const ajv = new Ajv2020();
    expect(ajv.validateSchema(schema), ajv.errorsText()).toBe(true);
  });
});
