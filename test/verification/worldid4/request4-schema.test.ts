// Rules: spec/worldid4.md#request
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { body4Schema, item4Schema } from '../../../src/verification/worldid4/request4-schema.ts';

describe('the schemas of a 4.0 request', () => {
  it.each([
    ['body', body4Schema(16)],
    ['uniqueness item', item4Schema('uniqueness')],
    ['session item', item4Schema('session')],
  ])('are valid schemas of draft-07: %s', (_, schema) => {
    const ajv = new Ajv();
    expect(ajv.validateSchema(schema), ajv.errorsText()).toBe(true);
  });
});
