import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp, setAppStatus, updateApp } from '../../src/apps/apps.ts';
import { LEAF_SCHEMA } from '../../src/http/routes/public/wallet/read-leaf.ts';
import { WORLDID4_ANSWER_SCHEMA } from '../../src/http/routes/public/wallet/worldid4-answer.ts';
import { WORLDID4_PROOF_SCHEMA } from '../../src/http/routes/public/wallet/worldid4-proof.ts';
import { toHex } from '../../src/semaphore/hex.ts';
import { SCALAR_ORDER, wordOf } from '../../src/semaphore/words.ts';
import { RawClient, requestText } from '../support/server/raw-client.ts';
import { type StartedApp, startApp } from '../support/server/start-app.ts';

interface Enrolled {
  readonly tree: string;
  readonly index: number;
  readonly root: string;
}
interface Inclusion {
  readonly root: string;
  readonly index: number;
  readonly siblings: readonly string[];
  readonly path_indices: readonly number[];
}

const HEX_WORD = /^0x[0-9a-f]{64}$/;
const commitment = (value: bigint): string => toHex(wordOf(value));
const EVIL_NAME = `<script>alert("1")</script> & 'Shop'`;

describe('calls of the wallet', () => {
  let app: StartedApp;
  beforeAll(async () => {
    // All of its apps are listed.
    app = await startApp();
  });
  afterAll(() => app.stop());

  const enroll = (body: unknown, type = 'application/json'): Promise<Response> =>
    fetch(`${app.publicUrl}/wallet/api/enroll`, {
      method: 'POST',
      headers: { 'Content-Type': type },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const inclusion = (query: string): Promise<Response> =>
    fetch(`${app.publicUrl}/wallet/api/inclusion-proof?${query}`);

  describe('POST /wallet/api/enroll', () => {
    it('appends a commitment, makes the new root current, and changes nothing the second time', async () => {
      const answer = await enroll({ tree: 'orb', commitment: commitment(11n) });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const enrolled = (await answer.json()) as Enrolled;
      expect(enrolled).toEqual({ tree: 'orb', index: 0, root: expect.stringMatching(HEX_WORD) });
      expect(await currentRoot('orb')).toBe(enrolled.root);
      const again = await enroll({ tree: 'orb', commitment: '0xb' });
      expect(await again.json()).toEqual(enrolled);
      const next = (await (await enroll({ tree: 'orb', commitment: commitment(12n) })).json()) as Enrolled;
      expect(next.index).toBe(1);
      expect(next.root).not.toBe(enrolled.root);
      expect(await currentRoot('orb')).toBe(next.root);
    });

    it('keeps the two trees separate', async () => {
      const answer = await enroll({ tree: 'device', commitment: commitment(12n) });
      expect(await answer.json()).toMatchObject({ tree: 'device', index: 0 });
    });

    it.each([
      ['the largest commitment below r', SCALAR_ORDER - 1n],
      ['1', 1n],
    ])('accepts %s, in upper case too', async (_, value) => {
      const upper = commitment(value).toUpperCase().replace('0X', '0x');
      expect((await enroll({ tree: 'orb', commitment: upper })).status).toBe(200);
      expect((await inclusion(`tree=orb&commitment=${commitment(value)}`)).status).toBe(200);
    });

    const good = commitment(13n);
    it.each([
      ['an empty object', {}, 'tree'],
      ['no tree', { commitment: good }, 'tree'],
      ['no commitment', { tree: 'orb' }, 'commitment'],
      ['a tree of another profile', { tree: 'face', commitment: good }, 'tree'],
      ['a tree that is not text', { tree: 1, commitment: good }, 'tree'],
      ['a commitment without 0x', { tree: 'orb', commitment: good.slice(2) }, 'commitment'],
      ['a commitment that is not text', { tree: 'orb', commitment: 13 }, 'commitment'],
      ['a commitment of 65 digits', { tree: 'orb', commitment: `0x0${good.slice(2)}` }, 'commitment'],
      ['a commitment with a space', { tree: 'orb', commitment: ` ${good}` }, 'commitment'],
      ['a commitment with a line feed', { tree: 'orb', commitment: `${good}\n` }, 'commitment'],
      ['the commitment 0', { tree: 'orb', commitment: '0x0' }, 'commitment'],
      ['the commitment r', { tree: 'orb', commitment: commitment(SCALAR_ORDER) }, 'commitment'],
      ['an unknown member', { tree: 'orb', commitment: good, x: 1 }, null],
      ['a list', [], null],
      ['null', 'null', null],
      ['text that is not JSON', '{', null],
      ['an empty body', '', null],
    ])('refuses %s with 400 and the attribute', async (_, body, attribute) => {
      const answer = await enroll(body);
      expect(answer.status).toBe(400);
      const { detail, ...rest } = (await answer.json()) as { detail: string };
      expect(rest).toEqual({
        error: 'invalid_request',
        error_description: detail,
        code: 'invalid_request',
        attribute,
      });
      expect(detail).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]{10,}$/);
    });

    it('refuses what a page of another origin can send without a preflight, and allows no origin', async () => {
      const body = { tree: 'orb', commitment: good };
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'text/plain; application/json',
      ]) {
        const answer = await enroll(body, type);
        expect(answer.status).toBe(400);
        expect(await answer.json()).toMatchObject({
          code: 'invalid_content_type',
          detail: 'Invalid content type. Only application/json is supported.',
        });
      }
      expect((await inclusion(`tree=orb&commitment=${good}`)).status).toBe(404);
      const preflight = await fetch(`${app.publicUrl}/wallet/api/enroll`, {
        method: 'OPTIONS',
        headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' },
      });
      expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
    });

    it('refuses a body without Content-Type, and accepts parameters after the type', async () => {
      const json = JSON.stringify({ tree: 'orb', commitment: good });
      const client = await RawClient.open(Number(new URL(app.publicUrl).port));
      client.send(requestText('POST /wallet/api/enroll', [`Content-Length: ${json.length}`], json));
      expect((await client.response()).status).toBe(400);
      client.destroy();
      const answer = await enroll({ tree: 'orb', commitment: good }, 'Application/JSON; charset=UTF-8');
      expect(answer.status).toBe(200);
    });

    it('refuses a body over 1 KiB with 413, and another method with 405', async () => {
      const answer = await enroll(`{"tree":"orb"${' '.repeat(1100)}}`);
      expect(answer.status).toBe(413);
      expect(await answer.json()).toMatchObject({ code: 'request_too_large' });
      const get = await fetch(`${app.publicUrl}/wallet/api/enroll`);
      expect(get.status).toBe(405);
      expect(get.headers.get('allow')).toBe('POST, OPTIONS');
    });
  });

  describe('GET /wallet/api/inclusion-proof', () => {
    it('returns the path of a commitment to the current root', async () => {
      const value = commitment(77n);
      const { index } = (await (await enroll({ tree: 'orb', commitment: value })).json()) as Enrolled;
      const { root } = (await (
        await enroll({ tree: 'orb', commitment: commitment(78n) })
      ).json()) as Enrolled;
      const answer = await inclusion(`tree=orb&commitment=${value}`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const proof = (await answer.json()) as Inclusion;
      expect(Object.keys(proof).sort()).toEqual(['index', 'path_indices', 'root', 'siblings']);
      expect(proof.root).toBe(root);
      expect(proof.index).toBe(index);
      expect(proof.siblings).toHaveLength(30);
      for (const sibling of proof.siblings) expect(sibling).toMatch(HEX_WORD);
      expect(proof.path_indices.reduce((sum, bit, level) => sum + bit * 2 ** level, 0)).toBe(index);
      expect(proof.path_indices).toHaveLength(30);
    });

    it('is 404 if the commitment is not in this tree', async () => {
      await enroll({ tree: 'orb', commitment: commitment(79n) });
      const answer = await inclusion(`tree=device&commitment=${commitment(79n)}`);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({
        code: 'not_found',
        detail: 'The commitment is not enrolled in this tree.',
      });
    });

    it.each([
      ['', 'tree'],
      ['tree=orb', 'commitment'],
      ['commitment=0x1', 'tree'],
      ['tree=&commitment=0x1', 'tree'],
      ['tree=face&commitment=0x1', 'tree'],
      ['tree=orb&commitment=1', 'commitment'],
      ['tree=orb&commitment=0x0', 'commitment'],
      ['tree=orb&tree=device&commitment=0x1', 'tree'],
      ['tree=%&commitment=0x1', null],
    ])('refuses the query "%s" with 400 and the attribute %s', async (query, attribute) => {
      const answer = await inclusion(query);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ code: 'invalid_request', attribute });
    });

    it('ignores unknown parameters', async () => {
      const answer = await inclusion(`x=1&x=2&tree=orb&commitment=${commitment(11n)}`);
      expect(answer.status).toBe(200);
    });
  });

  describe('GET /wallet/api/apps', () => {
    it('lists active apps that are registered for verification, by name, as JSON that no browser renders as HTML', async () => {
      const store = await app.openStore();
      const [evil, disabled, pending] = await Promise.all(
        [EVIL_NAME, 'Disabled', 'Pending'].map((name) => createApp(store.apps, { name }, 1)),
      );
      await setAppStatus(store.apps, disabled?.appId ?? '', 'disabled', 2);
      await updateApp(store.apps, pending?.appId ?? '', { verification: 'pending' }, 2);
      await store.close();
      const answer = await fetch(`${app.publicUrl}/wallet/api/apps`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      const { apps } = (await answer.json()) as { apps: { name: string }[] };
      expect(apps).toContainEqual({ app_id: evil?.appId, name: EVIL_NAME, rp_id: evil?.rpId });
      const names = apps.map(({ name }) => name);
      expect(names).toEqual([EVIL_NAME, 'Example relying party']);
      expect(await (await fetch(`${app.publicUrl}/wallet`)).text()).not.toContain('alert(');
    });
  });

  async function currentRoot(tree: string): Promise<string | undefined> {
    const store = await app.openStore();
    const roots = await store.roots.list({ environment: 'staging' });
    await store.close();
    const row = roots.find((root) => root.tree === tree && root.supersededAt === null);
    expect(row).toMatchObject({ source: 'development', keyId: 'dev-depth30' });
    return row && toHex(row.root);
  }
});

describe('the log of the wallet calls', () => {
  it('names routes only, and no commitment, which would identify persons', async () => {
    const app = await startApp({ settings: { 'log.level': 'debug' } });
    const value = commitment(0xabcdef0123456789n);
    await fetch(`${app.publicUrl}/wallet/api/inclusion-proof?tree=orb&commitment=${value}`);
    await app.stop();
    expect(app.log()).toContain('/wallet/api/inclusion-proof');
    expect(app.log()).not.toContain('abcdef0123456789');
  });
});

it.each([
  ['a leaf', LEAF_SCHEMA],
  ['a World ID 4.0 proof', WORLDID4_PROOF_SCHEMA],
  ['a World ID 4.0 answer', WORLDID4_ANSWER_SCHEMA],
])('the schema of %s is a valid schema of draft-07', (_, schema) => {
  const ajv = new Ajv();
  expect(ajv.validateSchema(schema), ajv.errorsText()).toBe(true);
});
