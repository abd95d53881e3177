import { explainCode, ServiceError } from '../../errors/index.ts';
import type { JsonSchema } from '../../json.ts';
import {
  addRoots,
  ENVIRONMENTS,
  listSources,
  parseRoot,
  parseTime,
  type RootInput,
  rootJson,
  type SourceListing,
  TREES,
} from '../../membership/index.ts';
import type { RootRow } from '../../storage/index.ts';
import { sourceJson } from '../forms/index.ts';
import type { AdminServices, Operation } from '../operation.ts';
import { PAGE_QUERY, pageOf, pageSchema, readPage } from './page.ts';
import {
  COUNT,
  ENVIRONMENT,
  FIELD_ELEMENT,
  GIVEN_TIME,
  HEX32,
  listOf,
  OPTIONAL_COUNT,
  OPTIONAL_TEXT,
  OPTIONAL_TIME,
  objectSchema,
  TIME,
  TREE,
  textOf,
} from './schemas.ts';

const TAG = 'Roots';

const ROOT = objectSchema({
  ...{ environment: ENVIRONMENT, tree: TREE, root: HEX32, received_at: TIME },
  superseded_at: { ...OPTIONAL_TIME, description: 'Null for the current root of its tree.' },
  key: { ...OPTIONAL_TEXT, description: 'Verifying key; null for that of the tree.' },
  source: { type: 'string', description: '`operator`, or the id of a source.' },
  age_seconds: { type: 'integer', description: 'Since it was received.' },
});

const ORDER: JsonSchema = {
  ...{ type: 'string', enum: ['oldest', 'newest'], default: 'oldest' },
  description: 'Which roots of the tree come first.',
};

const SOURCE = objectSchema({
  ...{ id: { type: 'string' }, configured: { type: 'boolean' }, kind: OPTIONAL_TEXT },
  ...{ environment: ENVIRONMENT, tree: TREE, chain_id: OPTIONAL_COUNT, place: OPTIONAL_TEXT },
  ...{ quorum: OPTIONAL_COUNT, block: OPTIONAL_COUNT, lag_seconds: { type: ['number', 'null'] } },
  stale: { type: 'boolean', description: 'Whether proofs may be refused because it lags.' },
  failing: { type: 'boolean', description: 'Whether its last round failed.' },
  ...{ current_root: OPTIONAL_TEXT, current_root_age_seconds: { type: ['number', 'null'] } },
  ...{ backfill_blocks_left: COUNT, lease_holder: OPTIONAL_TEXT },
  ...{ last_error: OPTIONAL_TEXT, last_error_age_seconds: { type: ['number', 'null'] } },
  fault: {
    ...objectSchema({
      ...{ code: { type: 'string' }, title: { type: 'string' } },
      ...{ cause: { type: 'string' }, cure: { type: 'string' } },
    }),
    type: ['object', 'null'],
    description: 'Explains the last error by its code in the error catalogue; null if there is none.',
  },
  providers: listOf(
    objectSchema({
      ...{ host: { type: 'string' }, state: { type: 'string' }, since: OPTIONAL_TIME },
      ...{ range: OPTIONAL_COUNT, last_error: OPTIONAL_TEXT, last_error_at: OPTIONAL_TIME },
    }),
  ),
});

/** Operations of roots and of their sources. */
export const ROOT_OPERATIONS: readonly Operation[] = [
  {
    ...{ id: 'listRoots', method: 'GET', path: '/roots', scope: 'read', tag: TAG },
    summary: 'Lists the current root of each tree, or all roots of one tree.',
    description: 'With environment and tree, the answer is a page of the roots of that tree.',
    query: { ...PAGE_QUERY, environment: ENVIRONMENT, tree: TREE, order: ORDER },
    response: { status: 200, description: 'Roots.', schema: pageSchema(ROOT) },
    errors: [],
    example: {},
    async run(services, request) {
      const { query, store } = request;
      const environment = ENVIRONMENTS.find((name) => name === query.environment);
      const tree = TREES.find((name) => name === query.tree);
      const order = query.order === 'newest' ? 'newest' : 'oldest';
      const { limit, after } = readPage(request, ['number', 'string']);
      const show = (row: RootRow): unknown => shownRoot(row, services);
      if (environment === undefined && tree === undefined) {
        return {
          status: 200,
          body: { items: (await store.roots.listCurrent()).map(show), next_cursor: null },
        };
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
  },
  {
    ...{ id: 'addRoot', method: 'POST', path: '/roots', scope: 'write', tag: TAG },
    summary: 'Adds a root, which becomes the current one of its tree unless it is a past one.',
    description:
      'Adding the same root again changes nothing. On a tree with a source superseded_at is required.',
    body: objectSchema(
      {
        ...{ environment: ENVIRONMENT, tree: TREE, root: FIELD_ELEMENT },
        received_at: { ...GIVEN_TIME, description: 'When it was inserted into its tree; now if absent.' },
        superseded_at: { ...GIVEN_TIME, description: 'Makes it a past root.' },
        key: { ...textOf(64, 0), description: 'Verifying key, instead of that of the tree.' },
      },
      ['received_at', 'superseded_at', 'key'],
    ),
    response: { status: 201, description: 'The root as it is stored.', schema: ROOT },
    errors: ['root.invalid', 'roots.managed', 'key.forbidden'],
    example: { body: { environment: 'staging', tree: 'orb', root: '0x5' } },
    async run(services, { body, store }) {
      const { config, now } = services;
      const row = parseRoot(body as RootInput, now());
      const { profile, verify, roots } = config;
      await addRoots(store.roots, [row], { store, profile, bindings: verify.keys, sources: roots.sources });
      const stored = (await store.roots.find(row.environment, row.tree, row.root)) ?? row;
      return { status: 201, body: shownRoot(stored, services) };
    },
  },
  {
    ...{ id: 'pruneRoots', method: 'POST', path: '/roots/prune', scope: 'write', tag: TAG },
    summary: 'Removes superseded roots that were received before a time; current ones stay.',
    body: objectSchema({ before: GIVEN_TIME }),
    response: { status: 200, description: 'What was removed.', schema: objectSchema({ removed: COUNT }) },
    errors: [],
    example: { body: { before: '2020-01-01T00:00:00.000Z' } },
    async run(_services, { body, store }) {
      const before = parseTime(body.before);
      if (before === undefined) {
        throw new ServiceError('admin.invalid_request', 'body/before: expected a time', {
          path: 'body/before',
        });
      }
      return { status: 200, body: { removed: await store.roots.prune(before) } };
    },
  },
  {
    ...{ id: 'listRootSources', method: 'GET', path: '/roots/sources', scope: 'read', tag: TAG },
    summary: 'Lists the sources of roots, how far each has read, and its providers.',
    response: { status: 200, description: 'The sources.', schema: objectSchema({ items: listOf(SOURCE) }) },
    errors: [],
    example: {},
    async run({ config, now }, { store }) {
      const sources = await listSources(config.roots, store, now());
      return {
        status: 200,
        body: { items: sources.map((source) => ({ ...sourceJson(source), fault: faultOf(source) })) },
      };
    },
  },
  {
    ...{ id: 'resetRootSource', method: 'POST', path: '/roots/sources/{id}/reset', scope: 'write', tag: TAG },
    summary: 'Withdraws the roots of a source and begins its scan anew.',
    description:
      'Until the scan has read the current root again, proofs over the withdrawn roots are refused. Roots of operators stay.',
    params: { id: textOf(64) },
    response: { status: 204, description: 'The source begins anew.' },
    errors: ['roots.source_unknown'],
    example: { params: { id: 'mainnet' } },
    async run(_services, { params, store }) {
      const id = params.id ?? '';
      if ((await store.rootSources.find(id)) === undefined) {
        throw new ServiceError('roots.source_unknown', `the store has no source ${id}`);
      }
      await store.rootSources.reset(id);
      return { status: 204 };
    },
  },
];

/** Returns the explanation of the last error of a source, which begins with its code. */
function faultOf({ lastError }: SourceListing): unknown {
  if (lastError === undefined) return null;
  const code = lastError.split(':')[0] ?? '';
  return { code, ...explainCode(code) };
}

function shownRoot(row: RootRow, { now }: Pick<AdminServices, 'now'>): unknown {
  const ageSeconds = Math.floor((now() - row.receivedAt) / 1000);
  return { ...rootJson(row), source: row.source, age_seconds: ageSeconds };
}
