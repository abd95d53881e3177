// Rules: spec/worldid4.md#commands
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { useAdmin } from '../admin/support/admin-client.ts';

interface KeyPoint {
  readonly x: string;
  readonly y: string;
}

const { bad_keys: BAD, trapdoor } = JSON.parse(
  readFileSync(new URL('../vectors/worldid4-proofs.json', import.meta.url), 'utf8'),
) as {
  readonly bad_keys: readonly KeyPoint[];
  readonly trapdoor: { readonly setup: { readonly issuers: readonly KeyPoint[] } };
};
const [{ x, y }] = trapdoor.setup.issuers as [KeyPoint];

const admin = useAdmin();

describe.each([
  ['/worldid4/issuers', 'issuer_schema_id', '007', '7', 'issuer'],
  ['/worldid4/oprf-keys', 'rp_id', 'rp_0387DF34F862CD4E', 'rp_0387df34f862cd4e', 'oprf_key'],
] as const)('keys of World ID 4.0 at %s', (path, member, given, canonical, noun) => {
  const owner = { environment: 'staging', [member]: given };
  const refusal = (body: object) => admin.refusal(`POST ${path}`, { body });

  it('are added, listed page by page and removed, each in the audit log', async () => {
    const added = await admin.call(`POST ${path}`, { body: { ...owner, x, y } });
    const key = { environment: 'staging', [member]: canonical, x, y };
    expect([added.status, added.body]).toEqual([201, key]);
    await admin.call(`POST ${path}`, { body: { ...owner, environment: 'production', x, y } });
    const first = (await admin.call(`GET ${path}?limit=1`)).body;
    const rest = (await admin.call(`GET ${path}?limit=1&cursor=${first.next_cursor}`)).body;
    expect(first.items).toMatchObject([{ environment: 'production', source: 'operator' }]);
    expect([rest.items, rest.next_cursor]).toMatchObject([[key], null]);
    const removed = await admin.call(`DELETE ${path}/staging/${given}`);
    expect([removed.status, removed.body]).toEqual([200, { environment: 'staging', [member]: canonical }]);
    expect(await admin.refusal(`DELETE ${path}/staging/${given}`)).toEqual([404, `${noun}.unknown`]);
    expect((await admin.call(`GET ${path}`)).body.items).toHaveLength(1);
    const { items } = (await admin.call(`GET /audit?action=${noun}.removed`)).body;
    expect(items).toMatchObject([{ target: `staging/${canonical}`, actor: 'api:config' }]);
  });

  it('are each on one page, in the order of the text of their ids', async () => {
    const ids = ['9', '10', '100', '1'].map((id) => (noun === 'issuer' ? id : `rp_${id.padEnd(16, 'a')}`));
    for (const id of ids) {
      await admin.call(`POST ${path}`, { body: { environment: 'staging', [member]: id, x, y } });
    }
    const listed: unknown[] = [];
    let cursor: unknown = null;
    do {
      const query = cursor === null ? '' : `&cursor=${cursor}`;
      const { items, next_cursor } = (await admin.call(`GET ${path}?limit=2${query}`)).body;
      listed.push(...items.map((key: Record<string, unknown>) => `${key.environment} ${key[member]}`));
      cursor = next_cursor;
    } while (cursor !== null);
    expect(listed).toEqual(listed.toSorted());
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed).toEqual(expect.arrayContaining(ids.map((id) => `staging ${id}`)));
    for (const id of ids) await admin.call(`DELETE ${path}/staging/${id}`);
  });

  it('are refused with the code that they have on a store', async () => {
    const refused = await Promise.all(BAD.map((point) => refusal({ ...owner, x: point.x, y: point.y })));
    expect(refused).toEqual(
      ['key.not_on_curve', 'key.wrong_subgroup', 'key.identity', 'key.range'].map((code) => [400, code]),
    );
    for (const wrong of [{ environment: 'test' }, { [member]: '' }, { x: 'one' }]) {
      expect(await refusal({ ...owner, x, y, ...wrong })).toEqual([400, 'key.invalid']);
    }
    expect(await refusal(owner)).toEqual([400, 'admin.invalid_request']);
  });

  it('need a token of scope write to be changed', async () => {
    const { token } = (await admin.call('POST /tokens', { body: { name: 'reader', scope: 'read' } })).body;
    const answers = await Promise.all([
      admin.call(`POST ${path}`, { body: { ...owner, x, y }, token }),
      admin.call(`DELETE ${path}/staging/${given}`, { token }),
      admin.call(`GET ${path}`, { token }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 200]);
  });
});
