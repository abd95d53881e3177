import { parseCoordinate } from '../../credential/public-key.ts';
import { parseStrictJson, type StrictJson, StrictJsonError } from '../../credential/strict-json.ts';
import { numberOf, SCALAR_ORDER } from '../../semaphore/words.ts';
import { ProofgateError } from '../facade/proofgate-error.ts';

const MAX_U64 = 0xffff_ffff_ffff_ffffn;
/**
 * Maximum keys of a list, and maximum characters of its text: more than any issuer has, and few enough to read at once.
 */
const MAX_KEYS = 10_000;
const MAX_TEXT = 4_194_304;
const STATUSES = ['active', 'retired', 'revoked'] as const;

/** State of a listed key: credentials under a revoked key are refused, since others may be able to sign with it. */
export type IssuerKeyStatus = (typeof STATUSES)[number];

/** A public key of an issuer. */
export interface IssuerKey {
  /** Affine coordinates. */
  readonly x: bigint;
  readonly y: bigint;
  /** The only kind of credential that the key may sign; absent if it may sign any. */
  readonly issuerSchemaId?: bigint | undefined;
  /** Absent for a key given by its coordinates alone. */
  readonly status?: IssuerKeyStatus | undefined;
}

/** A key in the form of `GET /api/v1/issuer-keys`. */
export interface ListedIssuerKey {
  readonly issuer_schema_id: number | bigint;
  /** Affine coordinates, decimal. */
  readonly pk: readonly string[];
  readonly status: string;
}

/** A coordinate: decimal digits, or a bigint. */
export type CoordinateForm = string | bigint;

/** A key: in listed form, or by its coordinates. */
export type IssuerKeyForm =
  | ListedIssuerKey
  | readonly [x: CoordinateForm, y: CoordinateForm]
  | {
      readonly x: CoordinateForm;
      readonly y: CoordinateForm;
      readonly issuerSchemaId?: bigint | number | undefined;
      readonly status?: IssuerKeyStatus | undefined;
    };

/** The answer of `GET /api/v1/issuer-keys`, as text or parsed, or a list of keys. */
export type IssuerKeysForm =
  | string
  | { readonly keys: readonly ListedIssuerKey[] }
  | readonly IssuerKeyForm[];

/** Whether a value is a u64: a bigint, or a number that is exact. */
export function isU64(value: unknown): value is bigint | number {
  if (typeof value === 'bigint') return value >= 0n && value <= MAX_U64;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/**
 * Reads issuer keys. Unknown members are ignored.
 *
 * @throws ProofgateError `credential.issuer_keys`; the message names the member
 */
export function issuerKeysOf(form: unknown): IssuerKey[] {
  const value = typeof form === 'string' ? fromJson(form) : form;
  const keys = Array.isArray(value) ? value : membersOf(value).keys;
  if (!Array.isArray(keys))
    throw refusal('', 'expected the answer of /api/v1/issuer-keys, as text or as parsed, or a list of keys');
  const { length } = keys;
  if (length > MAX_KEYS) throw refusal('', `expected at most ${MAX_KEYS} keys, got ${length}`);
  // By index: holes count, and the array may change while its elements are read.
  return Array.from({ length }, (_, index) => issuerKeyOf(keys[index], `[${index}]`));
}

function issuerKeyOf(form: unknown, path: string): IssuerKey {
  if (Array.isArray(form)) return pointOf(form, path);
  const members = membersOf(form);
  if ('pk' in members) {
    return {
      ...pointOf(members.pk, `${path}.pk`),
      issuerSchemaId: schemaOf(members.issuer_schema_id, `${path}.issuer_schema_id`),
      status: statusOf(members.status, `${path}.status`),
    };
  }
  const { x, y, issuerSchemaId, status } = members;
  return {
    ...pointOf([x, y], path),
    ...(issuerSchemaId !== undefined && {
      issuerSchemaId: schemaOf(issuerSchemaId, `${path}.issuerSchemaId`),
    }),
    ...(status !== undefined && { status: statusOf(status, `${path}.status`) }),
  };
}

function pointOf(form: unknown, path: string): Pick<IssuerKey, 'x' | 'y'> {
  if (!Array.isArray(form) || form.length !== 2) throw refusal(path, 'expected two coordinates');
  const [x, y] = [coordinateOf(form[0]), coordinateOf(form[1])];
  if (x === undefined || y === undefined) {
    throw refusal(path, 'expected coordinates in decimal or as bigint, below the order of the field');
  }
  return { x, y };
}

function coordinateOf(form: unknown): bigint | undefined {
  if (typeof form === 'bigint') return form >= 0n && form < SCALAR_ORDER ? form : undefined;
  const word = typeof form === 'string' ? parseCoordinate(form) : undefined;
  return word && numberOf(word);
}

function schemaOf(value: unknown, path: string): bigint {
  if (isU64(value)) return BigInt(value);
  throw refusal(
    path,
    'expected a whole number below 2^64; beyond 2^53 JSON.parse rounds it, so pass the text instead',
  );
}

function statusOf(value: unknown, path: string): IssuerKeyStatus {
  const status = STATUSES.find((known) => known === value);
  if (status === undefined) throw refusal(path, `expected one of ${STATUSES.join(', ')}`);
  return status;
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Parses the list itself, because `JSON.parse` rounds an `issuer_schema_id` beyond 2^53. */
function fromJson(text: string): unknown {
  if (text.length > MAX_TEXT)
    throw refusal('', `expected at most ${MAX_TEXT} characters, got ${text.length}`);
  try {
    return plainValue(parseStrictJson(text));
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    throw refusal('', `not JSON: ${error.message}`, { cause: error });
  }
}

function plainValue(json: StrictJson): unknown {
  if (json.kind === 'object')
    return Object.fromEntries(json.entries.map(([name, value]) => [name, plainValue(value)]));
  if (json.kind === 'array') return json.items.map(plainValue);
  if (json.kind === 'string') return json.text;
  if (json.kind === 'number')
    return /^[0-9]{1,20}$/.test(json.source) ? BigInt(json.source) : Number(json.source);
  return json.kind === 'boolean' ? json.value : null;
}

function refusal(path: string, rule: string, options?: ErrorOptions): ProofgateError {
  return new ProofgateError('credential.issuer_keys', `issuerKeys${path}: ${rule}`, options);
}
