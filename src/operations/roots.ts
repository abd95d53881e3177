import { explainCode } from '../errors/explain.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { TypeOf } from '../json.ts';
import { addRoots, parseRoot, rootJson } from '../membership/roots/roots.ts';
import { listSources, type SourceListing } from '../membership/sources/operator/list-sources.ts';
import type { RootRow } from '../storage/roots.ts';
import { isoTime, parseTime } from '../text.ts';
import { operation, operations } from './operation.ts';
import { orderSchema, PAGE_QUERY, pageOf, pageSchema, readPage } from './page.ts';
import {
  COUNT,
  ENVIRONMENT,
  FIELD_ELEMENT,
  FLAG,
  GIVEN_TIME,
  HEX32,
  INTEGER,
  listOf,
  NOTHING,
  OPTIONAL_COUNT,
  OPTIONAL_TEXT,
  OPTIONAL_TIME,
  objectSchema,
  TEXT,
  TIME,
  TREE,
  textOf,
} from './schemas.ts';

const ROOT = objectSchema({
  environment: ENVIRONMENT,
  tree: TREE,
  root: HEX32,
  received_at: TIME,
  superseded_at: { ...OPTIONAL_TIME, description: 'Null for the current root of its tree.' },
  key: { ...OPTIONAL_TEXT, description: 'Verifying key; null for that of the tree.' },
  source: { ...TEXT, description: '`operator`, or the id of a source.' },
  age_seconds: { ...INTEGER, description: 'Since it was received.' },
});

const OPTIONAL_NUMBER = { type: ['number', 'null'] } as const;
const EXPLANATION = objectSchema({ code: TEXT, title: TEXT, cause: TEXT, cure: TEXT });
const SOURCE = objectSchema({
  id: TEXT,
  configured: FLAG,
  kind: OPTIONAL_TEXT,
  environment: ENVIRONMENT,
  tree: TREE,
  chain_id: OPTIONAL_COUNT,
  place: OPTIONAL_TEXT,
  quorum: OPTIONAL_COUNT,
  block: OPTIONAL_COUNT,
  lag_seconds: OPTIONAL_NUMBER,
  stale: { ...FLAG, description: 'Whether proofs may be refused because it lags.' },
  failing: { ...FLAG, description: 'Whether its last round failed.' },
  current_root: OPTIONAL_TEXT,
  current_root_age_seconds: OPTIONAL_NUMBER,
  backfill_blocks_left: COUNT,
  lease_holder: OPTIONAL_TEXT,
  last_error: OPTIONAL_TEXT,
  last_error_age_seconds: OPTIONAL_NUMBER,
  fault: {
    ...EXPLANATION,
    type: ['object', 'null'],
    description: 'Explains the last error by its code in the error catalogue; null if there is none.',
  },
  providers: listOf(
    objectSchema({
      host: TEXT,
      state: TEXT,
      since: OPTIONAL_TIME,
      range: OPTIONAL_COUNT,
      last_error: OPTIONAL_TEXT,
      last_error_at: OPTIONAL_TIME,
    }),
  ),
});

/** Source of roots for display. */
export type ShownRootSource = TypeOf<typeof SOURCE>;

/** Operations of roots and of their sources. */
export const ROOT_OPERATIONS = operations('Roots', {
  listRoots: operation({
    at: 'GET /roots',
    scope: 'read',
    summary: 'Lists the current root of each tree, or all roots of one tree.',
    description: 'With environment and tree, the answer is a page of the roots of that tree.',
    input: objectSchema(
      {
        ...PAGE_QUERY,
        environment: ENVIRONMENT,
        tree: TREE,
        order: orderSchema('oldest', 'Which roots of the tree come first.'),
      },
      [...(['limit', 'cursor', 'environment', 'tree', 'order'] as const)],
    ),
    output: pageSchema(ROOT),
    answer: 'Roots.',
    async run({ now }, { environment, tree, order = 'oldest', ...page }, { store }) {
      const { limit, after } = readPage(page, ['number', 'string']);
      const show = (row: RootRow) => shownRoot(row, now());
      if (environment === undefined && tree === undefined) {
        return { items: (await store.roots.listCurrent()).map(show), next_cursor: null };
      }
      if (environment === undefined || tree === undefined) {
        const path = `query/${environment === undefined ? 'environment' : 'tree'}`;
        const text = `${path}: expected environment and tree, or neither`;
        throw new ServiceError('admin.invalid_request', text, { path });
      }
      const place = after && {
        receivedAt: Number(after[0]),
        root: new Uint8Array(Buffer.from(String(after[1]), 'hex')),
      };
      const rows = await store.roots.page(environment, tree, limit + 1, place, order);
      return pageOf(rows, limit, show, ({ receivedAt, root }) => [
        receivedAt,
        Buffer.from(root).toString('hex'),
      ]);
    },
  }),
  addRoot: operation({
    at: 'POST /roots',
    scope: 'write',
    summary: 'Adds a root, which becomes the current one of its tree unless it is a past one.',
    description:
      'Adding the same root again changes nothing. On a tree with a source superseded_at is required.',
    input: objectSchema(
      {
        environment: ENVIRONMENT,
        tree: TREE,
        root: FIELD_ELEMENT,
        received_at: { ...GIVEN_TIME, description: 'When it was inserted into its tree; now if absent.' },
        superseded_at: { ...GIVEN_TIME, description: 'Makes it a past root.' },
        key: { ...textOf(64, 0), description: 'Verifying key, instead of that of the tree.' },
      },
      ['received_at', 'superseded_at', 'key'],
    ),
    output: ROOT,
    status: 201,
    invalid: 'root.invalid',
    answer: 'The root as it is stored.',
    errors: ['root.invalid', 'roots.managed', 'key.forbidden'],
    example: { environment: 'staging', tree: 'orb', root: '0x5' },
    async run({ config, now }, input, { store }) {
      const row = parseRoot(input, now());
      const { profile, verify, roots } = config;
      await addRoots(store.roots, [row], { store, profile, bindings: verify.keys, sources: roots.sources });
      const stored = (await store.roots.find(row.environment, row.tree, row.root)) ?? row;
      return shownRoot(stored, now());
    },
  }),
  pruneRoots: operation({
    at: 'POST /roots/prune',
    scope: 'write',
    summary: 'Removes superseded roots that were received before a time; current ones stay.',
    input: objectSchema({ before: GIVEN_TIME }),
    output: objectSchema({ removed: COUNT }),
    answer: 'What was removed.',
    example: { before: '2020-01-01T00:00:00.000Z' },
    async run(_services, { before: given }, { store }) {
      const before = parseTime(given);
      if (before === undefined) {
        throw new ServiceError('admin.invalid_request', 'body/before: expected a time', {
          path: 'body/before',
        });
      }
      return { removed: await store.roots.prune(before) };
    },
  }),
  listRootSources: operation({
    at: 'GET /roots/sources',
    scope: 'read',
    summary: 'Lists the sources of roots, how far each has read, and its providers.',
    input: NOTHING,
    output: objectSchema({ items: listOf(SOURCE) }),
    answer: 'The sources.',
    async run({ config, now }, _input, { store }) {
      const sources = await listSources(config.roots, store, now());
      return { items: sources.map((source) => ({ ...sourceJson(source), fault: faultOf(source) })) };
    },
  }),
  resetRootSource: operation({
    at: 'POST /roots/sources/{id}/reset',
    scope: 'write',
    summary: 'Withdraws the roots of a source and begins its scan anew.',
    description:
      'Until the scan has read the current root again, proofs over the withdrawn roots are refused. Roots of operators stay.',
    input: objectSchema({ id: textOf(64) }),
    invalid: 'roots.source_unknown',
    answer: 'The source begins anew.',
    errors: ['roots.source_unknown'],
    example: { id: 'mainnet' },
    async run(_services, { id }, { store }) {
      if ((await store.rootSources.find(id)) === undefined) {
        throw new ServiceError('roots.source_unknown', `the store has no source ${id}`);
      }
      await store.rootSources.reset(id);
    },
  }),
});

/** Returns the explanation of the last error of a source, which begins with its code. */
function faultOf({ lastError }: SourceListing): TypeOf<typeof EXPLANATION> | null {
  if (lastError === undefined) return null;
  const code = lastError.split(':')[0] ?? '';
  return { code, ...explainCode(code) };
}

function shownRoot(row: RootRow, now: number): TypeOf<typeof ROOT> {
  const ageSeconds = Math.floor((now - row.receivedAt) / 1000);
  return { ...rootJson(row), source: row.source, age_seconds: ageSeconds };
}

/** Returns the members of a source of roots, with its providers. */
function sourceJson(source: SourceListing): Omit<TypeOf<typeof SOURCE>, 'fault'> {
  const { id, isConfigured, kind, environment, tree, chainId, place, quorum, isStale, isFailing } = source;
  const { block, lagSeconds, currentRoot, currentRootAgeSeconds, lastError, lastErrorAgeSeconds } = source;
  return {
    id,
    configured: isConfigured,
    kind: kind ?? null,
    environment,
    tree,
    chain_id: chainId ?? null,
    place: place ?? null,
    quorum: quorum ?? null,
    block: block ?? null,
    lag_seconds: lagSeconds ?? null,
    stale: isStale,
    failing: isFailing,
    current_root: currentRoot ?? null,
    current_root_age_seconds: currentRootAgeSeconds ?? null,
    backfill_blocks_left: source.backfillBlocksLeft,
    lease_holder: source.leaseHolder ?? null,
    last_error: lastError ?? null,
    last_error_age_seconds: lastErrorAgeSeconds ?? null,
    providers: source.providers.map(({ host, state, since, range, lastError, lastErrorAt }) => ({
      host,
      state,
      since: since === undefined ? null : isoTime(since),
      range: range ?? null,
      last_error: lastError ?? null,
      last_error_at: lastErrorAt === undefined ? null : isoTime(lastErrorAt),
    })),
  };
}
