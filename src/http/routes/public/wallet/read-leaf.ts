import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { ServiceError } from '../../../../errors/service-error.ts';
import { parseJson } from '../../../../json.ts';
import { parseParameters, refuseRepeated } from '../../../../oidc/parameters.ts';
import type { DevelopmentTree } from '../../../../pages.ts';
import { decodeWord, isBelowScalarOrder } from '../../../../semaphore/words.ts';

/** A commitment and its tree; it need not be a leaf yet. */
export interface Leaf {
  readonly tree: DevelopmentTree;
  /** 32 bytes, big-endian, below r and not 0. */
  readonly commitment: Uint8Array;
}

/** Reads the leaf in a call; throws ServiceError `wallet.invalid_request`. */
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

const OTHERWISE = 'Expected an object of tree and commitment, no more.';

/** Creates the reader; its schema is compiled at the first call. */
export function createLeafReader(): LeafReader {
  let validate: ValidateFunction<{ tree: DevelopmentTree; commitment: string }> | undefined;
  const read = (value: unknown): Leaf => {
    // The schema is constant; a test checks it against its dialect.
    validate ??= new Ajv({ strict: true, meta: false, validateSchema: false }).compile(LEAF_SCHEMA);
    if (!validate(value)) throw refusalOf(validate.errors?.[0], EXPECTED, OTHERWISE);
    const commitment = decodeWord(value.commitment);
    const isUsable = commitment !== undefined && isBelowScalarOrder(commitment) && commitment.some(Boolean);
    if (!isUsable) throw refusal('commitment', EXPECTED, OTHERWISE);
    return { tree: value.tree, commitment };
  };
  return {
    fromBody: (body) => read(parseBody(body)),
    fromQuery: (query) => read(readQuery(query, ['tree', 'commitment'])),
  };
}

/** Parses the body of a call; throws ServiceError `wallet.invalid_request`. */
export function parseBody(body: Uint8Array): unknown {
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

/**
 * Returns the refusal of a call that violates its schema.
 *
 * @param expected - Message by member.
 * @param otherwise - Message for other violations.
 */
export function refusalOf(
  error: ErrorObject | undefined,
  expected: Readonly<Record<string, string>>,
  otherwise: string,
): ServiceError {
  return refusal(attributeOf(error), expected, otherwise);
}

function refusal(
  attribute: string,
  expected: Readonly<Record<string, string>>,
  otherwise: string,
): ServiceError {
  const message = expected[attribute];
  if (message !== undefined) return new ServiceError('wallet.invalid_request', message, { path: attribute });
  return new ServiceError('wallet.invalid_request', otherwise);
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
