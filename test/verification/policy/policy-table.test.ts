// Rules: spec/verification.md#verification-policy and spec/sign-in.md#policy-of-a-client
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PolicyFields } from '../../../src/config/apps/policy.ts';
import type { Store } from '../../../src/storage/store.ts';
import { type AdminClient, startAdmin } from '../../admin/support/admin-client.ts';
import { runIn } from '../../cli/support/cli.ts';
import { bodyOf, type Fields, vector } from '../support/vectors.ts';
import { post } from '../support/verify-client.ts';
import { accountRoot, caseNamed, WORLDID4_SETTINGS, word } from '../support/worldid4.ts';

const START = Date.UTC(2026, 5, 15, 9, 30);
const REDIRECT_URI = 'https://shop.example/cb';
/** Each root was superseded this long ago, and received then. */
const ROOT_AGE_SECONDS = 120;

const REQUESTS: Readonly<Record<'3.0' | '4.0' | 'session', Fields>> = {
  '3.0': bodyOf(vector(0), { environment: 'production' }),
  '4.0': { ...caseNamed('uniqueness').request, environment: 'production' },
  session: { ...caseNamed('session').request, environment: 'production' },
};
type Protocol = keyof typeof REQUESTS | 'sign-in';
const PROTOCOLS: readonly Protocol[] = ['3.0', '4.0', 'session', 'sign-in'];

const ENVIRONMENT = 'environment_not_allowed';
const VERSION = 'protocol_version_not_allowed';
const CREDENTIAL = 'credential_not_allowed';
const ACTION = 'action_not_allowed';
const { action } = REQUESTS['3.0'];

interface Row {
  readonly policy: PolicyFields;
  /** Code of the refusal under each protocol; a protocol that is not listed is allowed. */
  readonly refused: Partial<Record<Protocol, string>>;
  /** Code of the item under each protocol, where the policy decides it. */
  readonly items?: Partial<Record<Protocol, string>>;
}

const ROWS: readonly Row[] = [
  { policy: {}, refused: {} },
  { policy: { environments: ['production'] }, refused: {} },
  { policy: { environments: ['production', 'staging'] }, refused: {} },
  {
    policy: { environments: ['staging'] },
    refused: { '3.0': ENVIRONMENT, '4.0': ENVIRONMENT, session: ENVIRONMENT, 'sign-in': ENVIRONMENT },
  },
  { policy: { protocols: ['3.0'] }, refused: { '4.0': VERSION, session: VERSION } },
  { policy: { protocols: ['4.0'] }, refused: { '3.0': VERSION, 'sign-in': VERSION } },
  { policy: { protocols: ['3.0', '4.0'] }, refused: {} },
  { policy: { credentials: ['orb', 'proof_of_human'] }, refused: {} },
  { policy: { credentials: ['orb', 1] }, refused: {} },
  { policy: { credentials: ['device', '1'] }, refused: { '3.0': CREDENTIAL } },
  { policy: { credentials: ['proof_of_human'] }, refused: { '3.0': CREDENTIAL, 'sign-in': CREDENTIAL } },
  {
    policy: { credentials: ['passport', 9303, 'document'] },
    refused: { '3.0': CREDENTIAL, '4.0': CREDENTIAL, session: CREDENTIAL, 'sign-in': CREDENTIAL },
  },
  { policy: { actions: [String(action), String(REQUESTS['4.0'].action)] }, refused: { session: ACTION } },
  { policy: { actions: ['another', ''] }, refused: { '3.0': ACTION, '4.0': ACTION } },
  { policy: { maxRootAgeSeconds: ROOT_AGE_SECONDS }, refused: {} },
  { policy: { sessionProofReuse: false }, refused: {} },
  {
    policy: { maxRootAgeSeconds: ROOT_AGE_SECONDS - 1 },
    refused: {},
    items: { '3.0': 'root_too_old', '4.0': 'invalid_root', session: 'invalid_root' },
  },
  {
    policy: { environments: ['staging'], protocols: ['4.0'], actions: ['another'] },
    refused: { '3.0': ENVIRONMENT, '4.0': ENVIRONMENT, session: ENVIRONMENT, 'sign-in': ENVIRONMENT },
  },
];

const newId = (): string => `app_${randomBytes(16).toString('hex')}`;
const LISTED = ROWS.map(({ policy }) => ({
  client_id: newId(),
  redirect_uris: [REDIRECT_URI],
  token_endpoint_auth_method: 'none',
  policy,
}));

describe('the policy of an app', () => {
  let admin: AdminClient;
  let store: Store;

  beforeAll(async () => {
    const settings = {
      ...WORLDID4_SETTINGS,
      'apps.list': JSON.stringify(LISTED),
      'storage.cacheSeconds': '0',
    };
    admin = await startAdmin({ settings, now: () => START });
    store = await admin.app.openStore();
    const past = {
      receivedAt: START - ROOT_AGE_SECONDS * 1000,
      supersededAt: START - ROOT_AGE_SECONDS * 1000,
    };
    const rootOf4 = (request: Fields): string => {
      const [item] = request.responses as [{ proof: readonly string[] }];
      return String(item.proof[4]);
    };
    const orb = {
      environment: 'production',
      tree: 'orb',
      source: 'operator',
      keyId: 'semaphore-depth30',
    } as const;
    await store.roots.put([{ ...orb, root: word(vector(0).merkle_root), ...past }]);
    for (const root of new Set([rootOf4(REQUESTS['4.0']), rootOf4(REQUESTS.session)])) {
      await store.roots.put([accountRoot('production', hexOf(root), past)]);
    }
  });
  afterAll(async () => {
    await store.close();
    await admin.app.stop();
  });

  const cli = async (...argv: readonly string[]): Promise<void> => {
    const { code, stderr } = await runIn(admin.app.dataDir, argv, {
      env: { PROOFGATE_PROFILE: 'test' },
      now: START,
    });
    if (code !== 0) throw new Error(stderr);
  };
  const client = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' };
  const addApp = async (policy?: PolicyFields): Promise<string> => {
    const body = { ...client, ...(policy === undefined ? {} : { policy }) };
    return (await admin.call('POST /apps', { body })).body.app_id;
  };

  /** Ways to set a policy; each returns the id of the app. */
  const WAYS: Readonly<Record<string, (row: Row) => Promise<string>>> = {
    'apps add': async ({ policy }) => {
      const id = newId();
      const more = ['--redirect-uri', REDIRECT_URI, '--public', '--policy', JSON.stringify(policy)];
      await cli('apps', 'add', '--app-id', id, ...more);
      return id;
    },
    'apps update': async ({ policy }) => {
      const id = await addApp({ environments: ['staging'], actions: ['former'] });
      await cli('apps', 'update', id, '--policy', JSON.stringify(policy));
      return id;
    },
    'POST /apps': async ({ policy }) => await addApp(policy),
    'PATCH /apps': async ({ policy }) => {
      const id = await addApp({ protocols: ['4.0'], credentials: ['former'] });
      const { version } = (await admin.call(`GET /apps/${id}`)).body;
      await admin.call(`PATCH /apps/${id}`, { body: { policy }, version });
      return id;
    },
    'apps.list': async (row) => LISTED[ROWS.indexOf(row)]?.client_id ?? '',
  };

  /** Code of the request, and of its first item once the policy has let it pass. */
  async function outcome(
    id: string,
    protocol: Protocol,
  ): Promise<readonly [string | undefined, string | undefined]> {
    if (protocol !== 'sign-in') {
      const { body } = await post(admin.app.publicUrl, id, REQUESTS[protocol]);
      const [item] = (body.results ?? []) as readonly { code: string }[];
      return [item === undefined ? String(body.code) : undefined, item?.code];
    }
    const query = new URLSearchParams({ client_id: id, redirect_uri: REDIRECT_URI, response_type: 'code' });
    query.set('scope', 'openid');
    query.set('code_challenge', 'a'.repeat(43));
    query.set('code_challenge_method', 'S256');
    const answer = await fetch(`${admin.app.publicUrl}/authorize?${query}`, {
      redirect: 'manual',
      headers: { accept: 'application/json' },
    });
    const location = answer.headers.get('location') ?? '';
    const refusal = new URL(location, REDIRECT_URI).searchParams.get('error');
    if (refusal === null) return [undefined, undefined];
    expect(refusal).toBe('unauthorized_client');
    return [((await answer.json()) as { code: string }).code, undefined];
  }

  describe.each(Object.keys(WAYS))('set by %s', (way) => {
    it.each(ROWS)('$policy', async (row) => {
      const id = (await WAYS[way]?.(row)) ?? '';
      const { policy } = (await admin.call(`GET /apps/${id}`)).body;
      expect(policy).toEqual({ environments: ['production', 'staging'], ...row.policy });
      for (const protocol of PROTOCOLS) {
        const [code, itemCode] = await outcome(id, protocol);
        expect([protocol, code]).toEqual([protocol, row.refused[protocol]]);
        const expected = row.items?.[protocol];
        if (expected !== undefined) expect([protocol, itemCode]).toEqual([protocol, expected]);
        else expect(['root_too_old', 'invalid_root']).not.toContain(itemCode);
      }
    });
  });

  it('is recorded in the audit log when it changes', async () => {
    const id = await addApp({ actions: ['a'] });
    await cli('apps', 'update', id, '--policy', '{"actions":["b"]}');
    const { items } = (await admin.call(`GET /audit?target=${id}`)).body;
    const environments = ['production', 'staging'];
    expect(items[0]).toMatchObject({
      before: { policy: { environments, actions: ['a'] } },
      after: { policy: { environments, actions: ['b'] } },
    });
    expect(Object.keys(items[0]?.after ?? {})).toEqual(['policy']);
  });

  it('is the default again once it is removed', async () => {
    const id = await addApp({ actions: ['a'] });
    await cli('apps', 'update', id, '--no-policy');
    expect((await admin.call(`GET /apps/${id}`)).body.policy).toEqual({
      environments: ['production', 'staging'],
    });
  });

  it.each([true, null])(
    'has no member for the default of sessionProofReuse, %s',
    async (sessionProofReuse) => {
      const id = await addApp({ sessionProofReuse, actions: ['a'] });
      expect((await admin.call(`GET /apps/${id}`)).body.policy).toEqual({
        environments: ['production', 'staging'],
        actions: ['a'],
      });
    },
  );

  it('refuses the environment sandbox in the words of the policy where it is mapped to staging', async () => {
    const id = await addApp({ environments: ['production'] });
    const { status, body } = await post(admin.app.publicUrl, id, {
      ...REQUESTS['3.0'],
      environment: 'sandbox',
    });
    expect([status, body]).toMatchObject([400, { code: ENVIRONMENT, attribute: 'environment', app_id: id }]);
  });

  it.each([
    [{ environments: [] }, 'policy.environments'],
    [{ environments: ['sandbox'] }, 'policy.environments[0]'],
    [{ protocols: ['5.0'] }, 'policy.protocols[0]'],
    [{ protocols: [4] }, 'policy.protocols[0]'],
    [{ credentials: ['Orb!'] }, 'policy.credentials[0]'],
    [{ credentials: [0] }, 'policy.credentials[0]'],
    [{ maxRootAgeSeconds: 59 }, 'policy.maxRootAgeSeconds'],
    [{ maxRootAgeSeconds: '60' }, 'policy.maxRootAgeSeconds'],
    [{ actions: ['a', 'a'] }, 'policy.actions'],
    [{ actions: Array.from({ length: 17 }, (_, n) => `${n}`.padEnd(4096, 'x')) }, 'policy'],
    [{ sessionProofReuse: 'once' }, 'policy.sessionProofReuse'],
    [{ action: ['a'] }, 'policy.action'],
    ['production', 'policy'],
    [[], 'policy'],
  ])('is refused, and nothing changes: %j', async (policy, path) => {
    const id = await addApp({ actions: ['kept'] });
    const { version } = (await admin.call(`GET /apps/${id}`)).body;
    const { status, body } = await admin.call(`PATCH /apps/${id}`, { body: { policy }, version });
    expect([status, body.code, body.errors?.[0]?.path]).toEqual([400, 'app.invalid', path]);
    await expect(cli('apps', 'update', id, '--policy', JSON.stringify(policy))).rejects.toThrow(path);
    expect((await admin.call(`GET /apps/${id}`)).body.version).toBe(version);
  });

  it('is refused if it is no JSON', async () => {
    await expect(cli('apps', 'update', await addApp(), '--policy', 'production')).rejects.toThrow(
      'expected JSON',
    );
  });
});

/** Returns a number in decimal text or hex as hex. */
function hexOf(text: string): string {
  return `0x${BigInt(text).toString(16).padStart(64, '0')}`;
}
