import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { LEAF_SCHEMA } from '../../src/http/routes/public/wallet/read-leaf.ts';
import { WORLDID4_PROOF_SCHEMA } from '../../src/http/routes/public/wallet/worldid4-proof.ts';

it.each([
  ['a leaf', LEAF_SCHEMA],
  ['a World ID 4.0 proof', WORLDID4_PROOF_SCHEMA],
])('the schema of %s is a valid schema of draft-07', (_, schema) => {
  const ajv = new Ajv();
  expect(ajv.validateSchema(schema), ajv.errorsText()).toBe(true);
});
