import type { RootSource } from '../../config/roots/source-types.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { JsonObject } from '../../json.ts';
import { toHex } from '../../semaphore/hex.ts';
import { writeNumber } from '../../semaphore/words.ts';
import type { Bytes32, Environment } from '../../storage/values.ts';
import { parseLine, rowsOfLines } from '../import-lines.ts';
import { OPERATOR_SOURCE } from '../roots/roots.ts';
import { ENVIRONMENTS, isEnvironment } from '../roots/trees.ts';
import { refuseManagedKeys } from '../sources/operator/managed.ts';
import { checkKeyPoint, type KeyKind, type KeyTables, type WorldId4Key } from './key-kinds.ts';

/**
 * Parses a key of an operator and checks its point.
 *
 * @param input - Members of a line, or options of a command: those of the table and the `idMember` of the kind.
 * @param now - Milliseconds since the epoch.
 * @param sources - Sources of roots, some of which maintain keys.
 * @throws ServiceError `key.invalid`, whose message names the member, `roots.managed`, and those of `checkKeyPoint`
 */
export function parseKey(
  kind: KeyKind,
  input: JsonObject,
  now: number,
  sources: readonly RootSource[] = [],
): WorldId4Key {
  const owner = parseOwner(kind, input, sources);
  const [x, y] = [coordinate('x', input.x), coordinate('y', input.y)];
  checkKeyPoint(x, y);
  return { ...owner, x, y, source: OPERATOR_SOURCE, updatedAt: now };
}

/** Returns a key as one line of an import. */
export function keyLine(kind: KeyKind, { environment, id, x, y }: WorldId4Key): string {
  return JSON.stringify({ environment, [kind.idMember]: id, x: toHex(x), y: toHex(y) });
}

/** Adds or replaces a key. @throws ServiceError `store.unreachable` */
export async function addKey(kind: KeyKind, store: KeyTables, key: WorldId4Key): Promise<void> {
  await kind.put(store, [key]);
}

/**
 * Reads keys as JSON Lines and adds or replaces them in one transaction. Blank lines are skipped.
 *
 * @returns The number of keys.
 * @throws ServiceError as `parseKey`; the message names the first bad line, and nothing is stored
 */
export async function importKeys(
  kind: KeyKind,
  store: KeyTables,
  lines: AsyncIterable<string>,
  now: number,
  sources: readonly RootSource[] = [],
): Promise<number> {
  const members = ['environment', kind.idMember, 'x', 'y'];
  const keys = await rowsOfLines(lines, (line) =>
    parseKey(kind, parseLine(line, members, 'key.invalid'), now, sources),
  );
  await kind.put(store, keys);
  return keys.length;
}

/**
 * Removes a key: proofs that need it are refused from then on.
 *
 * @throws ServiceError `key.invalid`, `roots.managed`, and `issuer.unknown` or `oprf_key.unknown` if there is none
 */
export async function removeKey(
  kind: KeyKind,
  store: KeyTables,
  input: JsonObject,
  now: number,
  sources: readonly RootSource[] = [],
): Promise<{ readonly environment: Environment; readonly id: string }> {
  const owner = parseOwner(kind, input, sources);
  if (!(await kind.remove(store, owner.environment, owner.id, now))) {
    throw new ServiceError(kind.unknown, `${owner.environment} has no key of ${kind.idMember} ${owner.id}`);
  }
  return owner;
}

function parseOwner(
  kind: KeyKind,
  input: JsonObject,
  sources: readonly RootSource[],
): { environment: Environment; id: string } {
  const { environment } = input;
  if (!isEnvironment(environment)) throw invalid('environment', ENVIRONMENTS.join(' or '));
  const id = kind.canonicalId(input[kind.idMember]);
  if (id === undefined) throw invalid(kind.idMember, kind.idForm);
  refuseManagedKeys(sources, environment);
  return { environment, id };
}

/** Returns the 32 bytes of a number as text (spec/worldid4.md#numbers), or undefined for another text. */
export function parseNumber(text: string): Bytes32 | undefined {
  const word = new Uint8Array(32);
  return writeNumber(text, word, 0) ? word : undefined;
}

function coordinate(member: 'x' | 'y', text: unknown): Bytes32 {
  const word = typeof text === 'string' ? parseNumber(text) : undefined;
  if (!word) throw invalid(member, 'a number as 0x and 1 to 64 hex digits, or decimal');
  return word;
}

function invalid(member: string, expected: string): ServiceError {
  return new ServiceError('key.invalid', `${member}: expected ${expected}`, { path: member });
}
