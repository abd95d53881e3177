import { Ajv, type ErrorObject } from 'ajv';
import { ServiceError } from '../../../../errors/index.ts';
import { parseJson } from '../../../../json.ts';
import { parseParameters, refuseRepeated } from '../../../../oidc/index.ts';
import type { DevelopmentTree } from '../../../../pages.ts';
import { decodeWord, isBelowScalarOrder } from '../../../../semaphore/index.ts';

/** A commitment and its tree, of which it need not be a leaf yet. */
export interface Leaf {
  readonly tree: DevelopmentTree;
  /** 32 bytes, big-endian, below r and not 0. */
  readonly commitment: Uint8Array;
}

/** Reads the leaf that a call names; throws ServiceError `wallet.invalid_request`. */
export interface LeafReader {
  fromBody(body: Uint8Array): Leaf;
  fromQuery(query: string): Leaf;
}

/** Schema of a leaf in a body or a query. */
export const LEAF_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['tree', 'commitment'],
  properties: {
    tree: { enum: ['orb', 'device'] },
    commitment: { type: 'string', pattern: '^0x[0-9a-fA-F]{1,64}$' },
  },
} as const;
const EXPECTED: Readonly<Record<string, string>> = {
  tree: 'tree: expected orb or device.',
  commitment: 'commitment: expected 0x and 1 to 64 hex digits, below the scalar order of BN254 and not 0.',
};

/** Creates the reader and compiles its schema. */
export function createLeafReader(): LeafReader {
  // The schema is the program's own and checked against its dialect by a test, not at each start, which takes 35 ms.
  const ajv = new Ajv({ strict: true, meta: false, validateSchema: false });
  const validate = ajv.compile<{ tree: DevelopmentTree; commitment: string }>(LEAF_SCHEMA);
  const read = (value: unknown): Leaf => {
    if (!validate(value)) throw refusal(attributeOf(validate.errors?.[0]));
    const commitment = decodeWord(value.commitment);
    const isUsable = commitment !== undefined && isBelowScalarOrder(commitment) && commitment.some(Boolean);
    if (!isUsable) throw refusal('commitment');
    return { tree: value.tree, commitment };
  };
  return {
    fromBody: (body) => read(parseBody(body)),
    fromQuery: (query) => read(readQuery(query, ['tree', 'commitment'])),
  };
}

function parseBody(body: Uint8Array): unknown {
  try {
    return parseJson(body);
  } catch (cause) {
    throw new ServiceError('wallet.invalid_request', 'The body is not JSON in UTF-8.', {}, { cause });
  }
}

function attributeOf(error: ErrorObject | undefined): string {
  if (error?.keyword === 'required') return String(error.params.missingProperty);
  return error?.instancePath.slice(1) ?? '';
}

function refusal(attribute: string): ServiceError {
  const message = EXPECTED[attribute];
  if (message !== undefined) return new ServiceError('wallet.invalid_request', message, { path: attribute });
  return new ServiceError('wallet.invalid_request', 'Expected an object of tree and commitment, no more.');
}

/**
 * Reads the parameters `names` of a raw query as `parseParameters` does; others are ignored.
 *
 * @throws ServiceError `signin.repeated_parameter`, `signin.malformed_parameters`
 */
export function readQuery<Name extends string>(
  query: string,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const parameters = parseParameters(query);
  refuseRepeated(parameters, names);
  const given = names.flatMap((name) => {
    const value = parameters.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(given) as Partial<Record<Name, string>>;
}
