import type { RootSource } from '../../config/roots/source-types.ts';
import type { Profile } from '../../config/settings/setting.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { toHex } from '../../semaphore/hex.ts';
import { decodeWord, isBelowScalarOrder } from '../../semaphore/words.ts';
import type { RootRow, RootStore } from '../../storage/roots.ts';
import type { Store } from '../../storage/store.ts';
import { isoTime, parseTime, TIME_FORMS } from '../../text.ts';
import { parseLine, rowsOfLines } from '../import-lines.ts';
import {
  boundKey,
  checkKeyUse,
  inputsOfTree,
  type KeyBindings,
  readKey,
  WORLDID4_BINDING,
} from '../keys/verifying-keys.ts';
import { refuseManagedRoot } from '../sources/operator/managed.ts';
import { ACCOUNT_TREE, ENVIRONMENTS, isEnvironment, isTree, TREES } from './trees.ts';

/** The `source` of roots that operators add. */
export const OPERATOR_SOURCE = 'operator';
/** Sources whose roots are not updated automatically. */
const UNMANAGED: readonly string[] = [OPERATOR_SOURCE, 'development', 'sequencer'];
const MEMBERS: readonly string[] = ['environment', 'tree', 'root', 'received_at', 'superseded_at', 'key'];

/** A root as given by the options of a command or the members of an import line. */
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

/** Dependencies for checking roots and their keys. */
export interface RootKeyRules {
  readonly store: { readonly verifyingKeys: Pick<Store['verifyingKeys'], 'find'> };
  readonly profile: Profile;
  readonly bindings: KeyBindings;
  /** Sources: a tree with one gets its current root from it alone. Absent when a source adds roots. */
  readonly sources?: readonly RootSource[];
}

/**
 * Parses a root into a row of the registry.
 *
 * @param now - Milliseconds since the epoch, for a root that has no time.
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

/** A root in the JSON of commands and the admin API. */
export interface ShownRoot extends Pick<RootRow, 'environment' | 'tree'> {
  readonly root: string;
  readonly received_at: string;
  /** Null for the current root of its tree. */
  readonly superseded_at: string | null;
  /** Null for the key of the tree. */
  readonly key: string | null;
}

/** Returns a root as JSON members, which `parseRoot` accepts. */
export function rootJson({ environment, tree, root, receivedAt, supersededAt, keyId }: RootRow): ShownRoot {
  return {
    environment,
    tree,
    root: toHex(root),
    received_at: isoTime(receivedAt),
    superseded_at: supersededAt === null ? null : isoTime(supersededAt),
    key: keyId,
  };
}

/** Returns one line of `roots export`, which `roots import` accepts. */
export function rootLine(row: RootRow): string {
  return JSON.stringify(rootJson(row));
}

/**
 * Adds roots in one transaction, in order, after checking that the key of each is usable.
 *
 * @throws ServiceError `root.invalid`, `roots.managed`, `key.forbidden`, `store.unreachable`; nothing is stored then
 */
export async function addRoots(
  roots: RootStore,
  rows: readonly RootRow[],
  rules: RootKeyRules,
): Promise<void> {
  const checks = createRowCheck(rules);
  for (const row of rows) await checks.check(row);
  await roots.put(rows);
}

/**
 * Reads roots as JSON Lines, as `roots export` writes them, and adds them in one transaction. Blank lines are skipped.
 *
 * @returns The number of roots.
 * @throws ServiceError `root.invalid`, `roots.managed`; the message names the first bad line, and nothing is stored
 */
export async function importRoots(
  roots: RootStore,
  lines: AsyncIterable<string>,
  rules: RootKeyRules,
  now: number,
): Promise<number> {
  const rows = await readRootLines(lines, rules, now);
  await roots.put(rows);
  return rows.length;
}

/**
 * Reads roots as JSON Lines, as `roots export` writes them, after a check that the key of each is usable. Blank lines
 * are skipped.
 *
 * @param isWanted - Rows for which it returns false are left out, and their keys are not checked; default: no row is
 *   left out.
 * @throws ServiceError `root.invalid`, `key.*`; the message names the first bad line
 */
export async function readRootLines(
  lines: AsyncIterable<string> | Iterable<string>,
  rules: RootKeyRules,
  now: number,
  isWanted: (row: RootRow) => boolean = () => true,
): Promise<RootRow[]> {
  const checks = createRowCheck(rules);
  return await rowsOfLines(lines, async (line) => {
    const row = parseRoot(parseLine(line, MEMBERS, 'root.invalid'), now);
    if (!isWanted(row)) return undefined;
    await checks.check(row);
    return row;
  });
}

/** Creates a check of roots that looks up each key once, however many roots name it. */
function createRowCheck({ store, profile, bindings, sources = [] }: RootKeyRules): {
  check(row: RootRow): Promise<void>;
} {
  const usable = new Set<string>();
  return {
    async check(row) {
      refuseManagedRoot(sources, row);
      const { environment, tree, keyId } = row;
      const wanted = keyId ?? boundKey(bindings, environment, tree);
      if (wanted === undefined) {
        throw new ServiceError(
          'root.invalid',
          `tree ${tree} of ${environment} has no verifying key: give the root one with "key" (--key), ` +
            `or set ${tree === ACCOUNT_TREE ? WORLDID4_BINDING : 'verify.key.'}${environment}`,
        );
      }
      const inputCount = inputsOfTree(tree);
      const use = `${inputCount} ${wanted}`;
      if (usable.has(use)) return;
      const key = await readKey(wanted, profile, store.verifyingKeys);
      if (!key) throw new ServiceError('root.invalid', `key: no verifying key has the id ${wanted}`);
      checkKeyUse(key, profile, inputCount);
      usable.add(use);
    },
  };
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

/** Whether the roots of a source are updated automatically. */
export function isManagedSource(source: string): boolean {
  return !UNMANAGED.includes(source);
}
