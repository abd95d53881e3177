import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { LEAF_SCHEMA } from '../../src/http/routes/public/wallet/read-leaf.ts';

it('the schema of a leaf is a valid schema of draft-07', () => {
  const ajv = new Ajv();
  expect(ajv.validateSchema(LEAF_SCHEMA), ajv.errorsText()).toBe(true);
});
