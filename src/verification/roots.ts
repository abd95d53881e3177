import type { Profile } from '../config/types.ts';
import { ServiceError } from '../errors/index.ts';
import type { RootRow, RootStore, Store } from '../storage/index.ts';
import { decodeWord, isBelowScalarOrder } from './decode-word.ts';
import { toHex } from './hex.ts';
import { parseTime, TIME_FORMS } from './parse-time.ts';
import { ENVIRONMENTS, isEnvironment, isTree, TREES } from './trees.ts';
import { boundKey, checkKeyUse, type KeyBindings, readKey } from './verifying-keys.ts';

/** Where roots that operators add come from, as the registry notes it. */
export const OPERATOR_SOURCE = 'operator';
const MEMBERS: readonly string[] = ['environment', 'tree', 'root', 'received_at', 'superseded_at', 'key'];

/** A root as options of a command or members of an import line give it. */
export interface RootInput {
  readonly environment?: unknown;
  readonly tree?: unknown;
  readonly root?: unknown;
  /** Absent or null: now. */
  readonly received_at?: unknown;
  /** Absent or null: the root is the current one. */
  readonly superseded_at?: unknown;
  /** Absent or null: the key of the tree. */
  readonly key?: unknown;
}

/** What adding roots needs to know of keys. */
export interface RootKeyRules {
  readonly store: Pick<Store, 'verifyingKeys'>;
  readonly profile: Profile;
  readonly bindings: KeyBindings;
}

/**
 * Makes a row of the registry.
 *
 * @param now - Milliseconds since the epoch, for a root without a time of its own.
 * @throws ServiceError `root.invalid`; the message names the member
 */
export function parseRoot(input: RootInput, now: number): RootRow {
  const { environment, tree, root: text, key = null } = input;
  if (!isEnvironment(environment)) throw invalid('environment', ENVIRONMENTS.join(' or '));
  if (!isTree(tree)) throw invalid('tree', `one of ${TREES.join(', ')}`);
  const root = typeof text === 'string' ? decodeWord(text) : undefined;
  if (!root || !isBelowScalarOrder(root)) {
    throw invalid('root', '0x and 1 to 64 hex digits of a number below the scalar order r');
  }
  if (key !== null && typeof key !== 'string') throw invalid('key', 'the id of a verifying key');
  return {
    environment,
    tree,
    root,
    receivedAt: time('received_at', input.received_at) ?? now,
    supersededAt: time('superseded_at', input.superseded_at) ?? null,
    source: OPERATOR_SOURCE,
    keyId: key,
  };
}

/** One line of `roots export`, which `roots import` takes. */
export function rootLine(row: RootRow): string {
  return JSON.stringify({
    environment: row.environment,
    tree: row.tree,
    root: toHex(row.root),
    received_at: new Date(row.receivedAt).toISOString(),
    superseded_at: row.supersededAt === null ? null : new Date(row.supersededAt).toISOString(),
    key: row.keyId,
  });
}

/**
 * Adds roots in one transaction, in order, after the key of each was found to be usable.
 *
 * @throws ServiceError `root.invalid`, `key.forbidden`, `store.unreachable`; nothing is kept then
 */
export async function addRoots(
  roots: RootStore,
  rows: readonly RootRow[],
  rules: RootKeyRules,
): Promise<void> {
  await checkKeys(rows, rules, () => '');
  await roots.put(rows);
}

/**
 * Reads JSON Lines, as `roots export` writes them, and adds them in one transaction. Blank lines are skipped.
 *
 * @returns The number of roots.
 * @throws ServiceError `root.invalid`; the message names the first bad line and nothing is kept
 */
export async function importRoots(
  roots: RootStore,
  lines: AsyncIterable<string>,
  rules: RootKeyRules,
  now: number,
): Promise<number> {
  const rows: RootRow[] = [];
  const numbers: number[] = [];
  let number = 0;
  for await (const line of lines) {
    number++;
    if (line.trim() === '') continue;
    rows.push(parseLine(line, number, now));
    numbers.push(number);
  }
  await checkKeys(rows, rules, (index) => `line ${numbers[index]}: `);
  await roots.put(rows);
  return rows.length;
}

function parseLine(line: string, number: number, now: number): RootRow {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new ServiceError('root.invalid', `line ${number}: expected a JSON object`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ServiceError('root.invalid', `line ${number}: expected a JSON object`);
  }
  const stranger = Object.keys(value).find((member) => !MEMBERS.includes(member));
  if (stranger !== undefined) {
    throw new ServiceError(
      'root.invalid',
      `line ${number}: unknown member ${JSON.stringify(stranger.slice(0, 64))}, expected ${MEMBERS.join(', ')}`,
    );
  }
  try {
    return parseRoot(value, now);
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw cause;
    throw new ServiceError(cause.code, `line ${number}: ${cause.message}`, cause.details, { cause });
  }
}

async function checkKeys(
  rows: readonly RootRow[],
  { store, profile, bindings }: RootKeyRules,
  where: (index: number) => string,
): Promise<void> {
  const usable = new Set<string>();
  for (const [index, { environment, tree, keyId }] of rows.entries()) {
    const wanted = keyId ?? boundKey(bindings, environment, tree);
    if (wanted === undefined) {
      throw new ServiceError(
        'root.invalid',
        `${where(index)}tree ${tree} of ${environment} has no verifying key: give the root one with "key" (--key), ` +
          `or set verify.key.${environment}`,
      );
    }
    if (usable.has(wanted)) continue;
    const key = await readKey(wanted, profile, store.verifyingKeys);
    if (!key) {
      throw new ServiceError('root.invalid', `${where(index)}key: no verifying key has the id ${wanted}`);
    }
    checkKeyUse(key, profile);
    usable.add(wanted);
  }
}

function time(member: string, value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  const parsed = parseTime(value);
  if (parsed === undefined) throw invalid(member, TIME_FORMS);
  return parsed;
}

function invalid(member: string, expected: string): ServiceError {
  return new ServiceError('root.invalid', `${member}: expected ${expected}`, { path: member });
}
