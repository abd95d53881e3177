import { encodeUtf8 } from '../../bytes.ts';
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
  /** Credential issuers that count. */
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
  const { maxRootAgeSeconds } = policy;
  const rootWindowSeconds = Math.min(rules.rootWindowSeconds, maxRootAgeSeconds ?? rules.rootWindowSeconds);
  const context = maxRootAgeSeconds === undefined ? rules : { ...rules, rootWindowSeconds };
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
  const judged = judgeRoot(row, context);
  if (judged.code !== undefined) return judged;
  const { rootAgeSeconds } = judged;
  const fault = await completeStatement(step);
  if (fault !== undefined) return { ...fault, rootAgeSeconds };
  const keyId = row.keyId ?? step.keyId;
  const ready = { keyId, bytes: statement.bytes, nullifier: step.item.nullifier, rootAgeSeconds };
  return await withKey(ready, WORLDID4_INPUTS, context.keys);
}

/** The other steps decide only whether the source is asked: the root comes before them. */
async function withoutRoot(step: Step, root: Bytes32): Promise<PreparedItem> {
  const { request, item, statement, context } = step;
  const { environment } = request;
  if (context.roots.refreshOf?.(environment, ACCOUNT_TREE) === undefined) return { code: ROOT_UNKNOWN };
  if ((await completeStatement(step)) !== undefined) return { code: ROOT_UNKNOWN };
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
    roots.knownUntil?.(row.source),
  );
  if (isAccepted) return { rootAgeSeconds };
  return { code: 'worldid_item.root_too_old', rootAgeSeconds, maxRootAgeSeconds: rootWindowSeconds };
}

/** Returns the action of a uniqueness proof as a field element: the text is never hex-decoded; the top byte is 0. */
function actionField(action: string): Uint8Array {
  return hashToField(encodeUtf8(action));
}

/** Looks up the keys, checks the expiration bound, and writes what the statement still lacks. */
async function completeStatement({
  request,
  item,
  statement,
  rpId,
  context,
}: Step): Promise<FailedItem | undefined> {
  const { lookup, minExpirationThresholdSeconds, now } = context;
  const { environment } = request;
  const issuer = await lookup.issuer(environment, item.issuerSchemaId);
  if (issuer === undefined) return { code: 'worldid_item.issuer_without_key' };
  const oprfKey = await lookup.oprfKey(environment, rpId);
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
  if (request.kind === 'uniqueness') bytes.set(context.actionOf(rpId, request.action), INPUT_AT.action);
  writeHex(rpId, RP_ID_PREFIX.length, rpId.length, bytes, INPUT_AT.rpId + 32);
  return undefined;
}
