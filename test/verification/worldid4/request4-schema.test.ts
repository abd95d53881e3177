// Rules: spec/worldid4.md#request
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { body4Schema, item4Schema } from '../../../src/verification/worldid4/request4-schema.ts';

describe('the schemas of a 4.0 request', () => {
  it.each([
    ['body', body4Schema(16)],
    ['uniqueness item', item4Schema('uniqueness')],
    ['session item', item4Schema('session')],
  ])('are valid schemas of the dialect of OpenAPI 3.1: %s', (_, schema) => {
    const ajv = new Ajv2020();
    expect(ajv.validateSchema(schema), ajv.errorsText()).toBe(true);
  });
});
