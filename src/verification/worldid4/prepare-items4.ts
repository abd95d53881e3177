import { encodeUtf8 } from '../../bytes.ts';
import type { VerificationPolicy } from '../../config/apps/policy.ts';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import type { KeyRegistry } from '../../membership/keys/key-registry.ts';
import { WORLDID4_INPUTS } from '../../membership/keys/verifying-keys.ts';
import { checkAccountRoot, type RootRegistry } from '../../membership/roots/root-registry.ts';
import { ACCOUNT_TREE } from '../../membership/roots/trees.ts';
import type { WorldId4Keys } from '../../membership/worldid4/key-lookup.ts';
import { hashToField } from '../../semaphore/hashes.ts';
import { writeHex } from '../../semaphore/hex.ts';
import type { AppRow } from '../../storage/apps/apps.ts';
import type { RootRow } from '../../storage/roots.ts';
import type { Bytes32 } from '../../storage/values.ts';
import type { IssuerKey4Row, OprfKey4Row } from '../../storage/worldid4-keys.ts';
import {
  INPUT_AT,
  type IssuerLists,
  type RequestItem4,
  type Statement,
  type VerifyRequest4,
} from '../request/request-types.ts';
import {
  type FailedItem,
  type PreparedItem,
  prepareMissed,
  type UnknownRoot,
  withKey,
} from '../run/prepared-item.ts';
import { type ActionWords, createActionWords, wordAt } from '../run/verify-item.ts';

const RP_ID_PREFIX = 'rp_';
const ROOT_UNKNOWN = 'worldid_item.root_unknown' as const;

/** State and rules of World ID 4.0. */
export interface WorldId4Rules {
  /** Accepted credential issuers. */
  readonly issuers: IssuerLists;
  readonly lookup: WorldId4Keys;
  readonly rootWindowSeconds: number;
  readonly minExpirationThresholdSeconds: number;
}

/** Dependencies of the steps of the items of a request. */
export interface Item4Context extends WorldId4Rules {
  readonly roots: RootRegistry;
  readonly keys: KeyRegistry;
  readonly now: () => number;
  readonly actionOf: ActionWords;
}

/** Adds a cache of actions to the rules and registries. */
export function createItem4Context(
  rules: WorldId4Rules,
  registries: Pick<Item4Context, 'roots' | 'keys' | 'now'>,
): Item4Context {
  return { ...rules, ...registries, actionOf: createActionWords((_, action) => actionField(action)) };
}

/** One item on its way through the steps. */
interface Step {
  readonly request: VerifyRequest4;
  readonly item: RequestItem4;
  readonly statement: Statement;
  /** The registered relying party. */
  readonly rpId: string;
  /** Key of the tree. */
  readonly keyId: string;
  readonly context: Item4Context;
}

/**
 * Refuses a request with an item of an issuer that is not on the list (spec/worldid4.md#order-of-checks, issuer-listed).
 *
 * @throws ServiceError `verify.issuer_unrecognized`
 */
export function checkIssuers({ environment, items }: VerifyRequest4, issuers: IssuerLists): void {
  const index = items.findIndex(({ issuerSchemaId }) => !issuers[environment].has(issuerSchemaId));
  if (index < 0) return;
  const path = `responses[${index}].issuer_schema_id`;
  throw new ServiceError('verify.issuer_unrecognized', undefined, { path });
}

/**
 * Refuses a request whose items have different nullifiers (spec/worldid4.md#order-of-checks, one-nullifier): one answer
 * of a World ID has one, and one action of a session. Items that cannot be decoded fail by themselves.
 *
 * @throws ServiceError `verify.nullifiers_differ`
 */
export function checkNullifiers({ items }: VerifyRequest4): void {
  if (items.length === 1) return;
  let first: Statement | undefined;
  for (const [index, { statement }] of items.entries()) {
    if (statement.code !== undefined) continue;
    first ??= statement;
    if (hasWordsOf(first, statement)) continue;
    throw new ServiceError('verify.nullifiers_differ', undefined, { path: `responses[${index}]` });
  }
}

/** Whether two items have one nullifier and one action; the action of uniqueness proofs is written later. */
function hasWordsOf(one: Statement, other: Statement): boolean {
  return [INPUT_AT.nullifier, INPUT_AT.action].every(
    (offset) => Buffer.compare(wordAt(one, offset), wordAt(other, offset)) === 0,
  );
}

/** Applies the policy of an app to the rules. */
function underPolicy(rules: Item4Context, { maxRootAgeSeconds }: VerificationPolicy): Item4Context {
  if (maxRootAgeSeconds === undefined) return rules;
  return { ...rules, rootWindowSeconds: Math.min(rules.rootWindowSeconds, maxRootAgeSeconds) };
}

/**
 * Runs the steps of all items that need no pairing, and completes their statements, if all rows and keys are in memory, as
 * for nearly every request.
 *
 * @returns undefined if the store or the engine is needed; then call `prepareItems4`.
 */
export function prepareFromCache4(
  request: VerifyRequest4,
  { rpId, policy }: Pick<AppRow, 'rpId' | 'policy'>,
  rules: Item4Context,
): readonly PreparedItem[] | undefined {
  const { environment } = request;
  const { keys, lookup } = rules;
  const keyId = keys.keyOf(environment, ACCOUNT_TREE);
  const oprfKey = lookup.peekOprfKey(environment, rpId);
  if (keyId === undefined || oprfKey === undefined || !keys.has(keyId, WORLDID4_INPUTS)) return undefined;
  const context = underPolicy(rules, policy);
  const prepared: PreparedItem[] = [];
  for (const item of request.items) {
    const { statement } = item;
    const one =
      statement.code === undefined
        ? itemFromCache({ request, item, statement, rpId, keyId, context }, oprfKey)
        : statement;
    if (one === undefined) return undefined;
    if (one.code === undefined && !keys.has(one.keyId, WORLDID4_INPUTS)) return undefined;
    prepared.push(one);
  }
  return prepared;
}

/** Runs the steps of one item; returns undefined if its root or the key of its issuer is not in memory. */
function itemFromCache(step: Step, oprfKey: OprfKey4Row): PreparedItem | undefined {
  const { request, item, statement, context } = step;
  const { environment } = request;
  const row = context.roots.peek(environment, ACCOUNT_TREE, wordAt(statement, INPUT_AT.root));
  if (row === undefined) return undefined;
  const judged = judgeRoot(row, context);
  if (judged.code !== undefined) return judged;
  const issuer = context.lookup.peekIssuer(environment, item.issuerSchemaId);
  return issuer && withKeys(step, row, judged.rootAgeSeconds, { issuer, oprfKey });
}

/**
 * Checks that the environment has a verifying key, then runs the steps of all items that need no pairing
 * (spec/worldid4.md#items, root to expiration), and completes their statements.
 *
 * @throws ServiceError `verify.worldid_key_missing`, `store.unreachable`, which refuse the request as a whole
 */
export async function prepareItems4(
  request: VerifyRequest4,
  { rpId, policy }: Pick<AppRow, 'rpId' | 'policy'>,
  rules: Item4Context,
): Promise<readonly PreparedItem[]> {
  const context = underPolicy(rules, policy);
  const keyId = await treeKey(request, context);
  return await Promise.all(
    request.items.map((item) => {
      const { statement } = item;
      if (statement.code !== undefined) return statement;
      return prepareItem({ request, item, statement, rpId, keyId, context });
    }),
  );
}

/** Returns the key of the tree, once the engine has it. */
async function treeKey({ environment }: VerifyRequest4, { keys }: Item4Context): Promise<string> {
  const missing = (cause?: unknown): ServiceError =>
    new ServiceError(
      'verify.worldid_key_missing',
      `Verifier contract address not configured for ${environment} environment.`,
      {},
      { cause },
    );
  const keyId = keys.keyOf(environment, ACCOUNT_TREE);
  if (keyId === undefined) throw missing();
  try {
    await keys.ensure(keyId, WORLDID4_INPUTS);
    return keyId;
  } catch (cause) {
    throw isServiceError(cause, 'store.unreachable') ? cause : missing(cause);
  }
}

async function prepareItem(step: Step): Promise<PreparedItem> {
  const { request, statement, context } = step;
  const root = wordAt(statement, INPUT_AT.root);
  const row = await context.roots.find(request.environment, ACCOUNT_TREE, root);
  if (row === undefined) return await withoutRoot(step, root);
  // A root that is too old is reported before the keys, which are then not read.
  const judged = judgeRoot(row, context);
  if (judged.code !== undefined) return judged;
  const prepared = withKeys(step, row, judged.rootAgeSeconds, await findKeys(step));
  return prepared.code === undefined ? await withKey(prepared, WORLDID4_INPUTS, context.keys) : prepared;
}

/** Completes the statement of an item whose root is accepted. */
function withKeys(step: Step, row: RootRow, rootAgeSeconds: number, keys: StatementKeys): PreparedItem {
  const fault = completeStatement(step, keys);
  if (fault !== undefined) return { ...fault, rootAgeSeconds };
  const keyId = row.keyId ?? step.keyId;
  return { keyId, bytes: step.statement.bytes, nullifier: step.item.nullifier, rootAgeSeconds };
}

/** The other steps decide only whether the source is queried: an unknown root is reported before their failures. */
async function withoutRoot(step: Step, root: Bytes32): Promise<PreparedItem> {
  const { request, item, statement, context } = step;
  const { environment } = request;
  if (context.roots.refreshOf?.(environment, ACCOUNT_TREE) === undefined) return { code: ROOT_UNKNOWN };
  if (completeStatement(step, await findKeys(step)) !== undefined) return { code: ROOT_UNKNOWN };
  const missed: UnknownRoot = {
    environment,
    tree: ACCOUNT_TREE,
    root,
    bytes: statement.bytes,
    nullifier: item.nullifier,
    maxAgeSeconds: context.rootWindowSeconds,
    unknown: ROOT_UNKNOWN,
    judge: (row) => judgeRoot(row, context),
  };
  return await prepareMissed(missed, context);
}

function judgeRoot(
  row: RootRow,
  { rootWindowSeconds, roots, now }: Item4Context,
): FailedItem | { readonly code?: undefined; readonly rootAgeSeconds: number } {
  const { isAccepted, ageSeconds: rootAgeSeconds } = checkAccountRoot(
    row,
    rootWindowSeconds,
    now(),
    roots.confirmedUntil?.(row.source),
  );
  if (isAccepted) return { rootAgeSeconds };
  return { code: 'worldid_item.root_too_old', rootAgeSeconds, maxRootAgeSeconds: rootWindowSeconds };
}

/** Returns the action of a uniqueness proof as a field element: the text is never hex-decoded; the top byte is 0. */
function actionField(action: string): Uint8Array {
  return hashToField(encodeUtf8(action));
}

/** Keys that enter a statement; undefined where there is none. */
interface StatementKeys {
  readonly issuer: IssuerKey4Row | undefined;
  readonly oprfKey: OprfKey4Row | undefined;
}

async function findKeys({ request, item, rpId, context }: Step): Promise<StatementKeys> {
  const { environment } = request;
  const issuer = await context.lookup.issuer(environment, item.issuerSchemaId);
  return { issuer, oprfKey: issuer && (await context.lookup.oprfKey(environment, rpId)) };
}

/** Checks the keys and the expiration bound, and writes the remaining words of the statement. */
function completeStatement(
  { request, item, statement, rpId, context }: Step,
  { issuer, oprfKey }: StatementKeys,
): FailedItem | undefined {
  const { minExpirationThresholdSeconds, now } = context;
  if (issuer === undefined) return { code: 'worldid_item.issuer_without_key' };
  if (oprfKey === undefined) return { code: 'worldid_item.oprf_key_missing' };
  if (item.expiresAtMin + minExpirationThresholdSeconds < Math.floor(now() / 1000)) {
    return { code: 'worldid_item.bound_too_old' };
  }
  const { bytes } = statement;
  bytes.set(issuer.x, INPUT_AT.issuerX);
  bytes.set(issuer.y, INPUT_AT.issuerY);
  bytes.set(oprfKey.x, INPUT_AT.oprfX);
  bytes.set(oprfKey.y, INPUT_AT.oprfY);
  // The action of a session proof is a number of the item.
  if (request.kind !== 'session') bytes.set(context.actionOf(rpId, request.action), INPUT_AT.action);
  writeHex(rpId, RP_ID_PREFIX.length, rpId.length, bytes, INPUT_AT.rpId + 32);
  return undefined;
}
