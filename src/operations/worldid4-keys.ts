import type { ErrorCode } from '../errors/catalogue.ts';
import type { JsonObject } from '../json.ts';
import { ISSUER_KEYS, type KeyKind, OPRF_KEYS, type WorldId4Key } from '../membership/worldid4/key-kinds.ts';
import { addKey, parseKey, removeKey } from '../membership/worldid4/keys.ts';
import { toHex } from '../semaphore/hex.ts';
import type { Store } from '../storage/store.ts';
import { isoTime } from '../text.ts';
import { type OperationServices, operation, operations } from './operation.ts';
import { PAGE_QUERY, type Page, pageOf, pageSchema, readPage } from './page.ts';
import { ENVIRONMENT, HEX32, objectSchema, TEXT, TIME, textOf } from './schemas.ts';

const ISSUER_ID = { ...textOf(256), description: `issuer_schema_id: ${ISSUER_KEYS.idForm}` } as const;
const RP_ID = { ...textOf(256), description: `rp_id: ${OPRF_KEYS.idForm}` } as const;
const GIVEN_ENVIRONMENT = { ...textOf(256), description: 'production or staging' } as const;
const COORDINATE = {
  ...textOf(256),
  description: '0x and hex digits, or decimal',
} as const;
const POINT = { x: HEX32, y: HEX32 } as const;
const ORIGIN = { updated_at: TIME, source: TEXT } as const;
const POINT_FAULTS: readonly ErrorCode[] = [
  ...(['key.invalid', 'key.range', 'key.identity', 'key.not_on_curve', 'key.wrong_subgroup'] as const),
  'roots.managed',
];
const ADDITION =
  'Replaces the key that is there. The point is checked: whoever can sign under a key makes people up. Running servers see a new key immediately and a replaced one within storage.cacheSeconds.';
const REMOVAL = 'Running servers follow within storage.cacheSeconds.';
const EXAMPLE_POINT = {
  x: '0x212084c773ddc19efef0019393938189674cebf21998ab312bf1b761d0ad16e9',
  y: '0x04e75cc0d2f6382ea99349584581e57b4ff952743f6ac301ab1a03de21527351',
};

type Services = Pick<OperationServices, 'config' | 'now'>;

/** Operations of the keys of World ID 4.0 (spec/worldid4.md#state). Their `run` checks ids and points, in words. */
export const WORLDID4_KEY_OPERATIONS = operations('World ID 4.0 keys', {
  listIssuers: operation({
    at: 'GET /worldid4/issuers',
    scope: 'read',
    summary: 'Lists the keys of credential issuers.',
    input: objectSchema(PAGE_QUERY, ['limit', 'cursor']),
    output: pageSchema(
      objectSchema({ environment: ENVIRONMENT, issuer_schema_id: TEXT, ...POINT, ...ORIGIN }),
    ),
    answer: 'A page of keys.',
    run: async (_services, page, { store }) =>
      await listKeys(ISSUER_KEYS, page, store, ({ environment, id, ...key }) => ({
        environment,
        issuer_schema_id: id,
        ...pointJson(key),
        ...originJson(key),
      })),
  }),
  addIssuer: operation({
    at: 'POST /worldid4/issuers',
    scope: 'write',
    summary: 'Adds the key of a credential issuer.',
    description: ADDITION,
    input: objectSchema({
      environment: GIVEN_ENVIRONMENT,
      issuer_schema_id: ISSUER_ID,
      x: COORDINATE,
      y: COORDINATE,
    }),
    output: objectSchema({ environment: ENVIRONMENT, issuer_schema_id: TEXT, ...POINT }),
    status: 201,
    invalid: 'key.invalid',
    answer: 'The key as it is stored.',
    ownChecks: ['environment', 'issuer_schema_id', 'x', 'y'],
    errors: POINT_FAULTS,
    example: { environment: 'staging', issuer_schema_id: '1', ...EXAMPLE_POINT },
    async run(services, input, { store }) {
      const { environment, id, ...key } = await putKey(ISSUER_KEYS, input, services, store);
      return { environment, issuer_schema_id: id, ...pointJson(key) };
    },
  }),
  removeIssuer: operation({
    at: 'DELETE /worldid4/issuers/{environment}/{issuer_schema_id}',
    scope: 'write',
    summary: 'Removes the key of an issuer: proofs of its credentials are refused.',
    description: REMOVAL,
    input: objectSchema({ environment: GIVEN_ENVIRONMENT, issuer_schema_id: ISSUER_ID }),
    output: objectSchema({ environment: ENVIRONMENT, issuer_schema_id: TEXT }),
    invalid: 'key.invalid',
    answer: 'The owner of the key.',
    errors: ['key.invalid', 'roots.managed', 'issuer.unknown'],
    example: { environment: 'staging', issuer_schema_id: '1' },
    async run({ config, now }, input, { store }) {
      const { sources } = config.roots;
      const { environment, id } = await removeKey(ISSUER_KEYS, store.worldId4Keys, input, now(), sources);
      return { environment, issuer_schema_id: id };
    },
  }),
  listOprfKeys: operation({
    at: 'GET /worldid4/oprf-keys',
    scope: 'read',
    summary: 'Lists the OPRF keys of relying parties.',
    input: objectSchema(PAGE_QUERY, ['limit', 'cursor']),
    output: pageSchema(objectSchema({ environment: ENVIRONMENT, rp_id: TEXT, ...POINT, ...ORIGIN })),
    answer: 'A page of keys.',
    run: async (_services, page, { store }) =>
      await listKeys(OPRF_KEYS, page, store, ({ environment, id, ...key }) => ({
        environment,
        rp_id: id,
        ...pointJson(key),
        ...originJson(key),
      })),
  }),
  addOprfKey: operation({
    at: 'POST /worldid4/oprf-keys',
    scope: 'write',
    summary: 'Adds the OPRF key of a relying party.',
    description: ADDITION,
    input: objectSchema({ environment: GIVEN_ENVIRONMENT, rp_id: RP_ID, x: COORDINATE, y: COORDINATE }),
    output: objectSchema({ environment: ENVIRONMENT, rp_id: TEXT, ...POINT }),
    status: 201,
    invalid: 'key.invalid',
    answer: 'The key as it is stored.',
    ownChecks: ['environment', 'rp_id', 'x', 'y'],
    errors: POINT_FAULTS,
    example: { environment: 'staging', rp_id: 'rp_0387df34f862cd4e', ...EXAMPLE_POINT },
    async run(services, input, { store }) {
      const { environment, id, ...key } = await putKey(OPRF_KEYS, input, services, store);
      return { environment, rp_id: id, ...pointJson(key) };
    },
  }),
  removeOprfKey: operation({
    at: 'DELETE /worldid4/oprf-keys/{environment}/{rp_id}',
    scope: 'write',
    summary: 'Removes the OPRF key of a relying party: its proofs are refused.',
    description: REMOVAL,
    input: objectSchema({ environment: GIVEN_ENVIRONMENT, rp_id: RP_ID }),
    output: objectSchema({ environment: ENVIRONMENT, rp_id: TEXT }),
    invalid: 'key.invalid',
    answer: 'The owner of the key.',
    errors: ['key.invalid', 'roots.managed', 'oprf_key.unknown'],
    example: { environment: 'staging', rp_id: 'rp_0387df34f862cd4e' },
    async run({ config, now }, input, { store }) {
      const { sources } = config.roots;
      const { environment, id } = await removeKey(OPRF_KEYS, store.worldId4Keys, input, now(), sources);
      return { environment, rp_id: id };
    },
  }),
});

/** Returns a page of the keys of one kind, ordered by environment and id as text. */
async function listKeys<Item>(
  kind: KeyKind,
  page: Parameters<typeof readPage>[0],
  { worldId4Keys }: Pick<Store, 'worldId4Keys'>,
  show: (key: WorldId4Key) => Item,
): Promise<Page<Item>> {
  const { limit, after } = readPage(page, ['string', 'string']);
  const [environment = '', id = ''] = after?.map(String) ?? [];
  const keys = await kind.page(worldId4Keys, limit + 1, { environment, id });
  return pageOf(keys, limit, show, ({ environment, id }) => [environment, id]);
}

async function putKey(
  kind: KeyKind,
  input: JsonObject,
  { config, now }: Services,
  { worldId4Keys }: Pick<Store, 'worldId4Keys'>,
): Promise<WorldId4Key> {
  const key = parseKey(kind, input, now(), config.roots.sources);
  await addKey(kind, worldId4Keys, key);
  return key;
}

function pointJson({ x, y }: Pick<WorldId4Key, 'x' | 'y'>) {
  return { x: toHex(x), y: toHex(y) };
}

function originJson({ updatedAt, source }: Pick<WorldId4Key, 'updatedAt' | 'source'>) {
  return { updated_at: isoTime(updatedAt), source };
}
