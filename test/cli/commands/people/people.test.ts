// Rules: spec/sign-in.md#administration-of-people
import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { shortDigest } from '../../../../src/storage/audit/audit-writer.ts';
import { addPerson } from '../../../support/signin/add-person.ts';
import { NOW, useCliFolder } from '../../support/cli.ts';
import { withStoreOf } from '../../support/store-of.ts';

const APP_ID = 'app_369183bd38f1641b6964ab51d7a20434';
const env = {
  PROOFGATE_VERIFY_WORLDID4_ENABLED: 'true',
  PROOFGATE_SIGNIN_WORLDID4_RP_ID: 'rp_0123456789abcdef',
};

const folder = useCliFolder();
beforeEach(async () => {
  await folder.json(['apps', 'add', '--app-id', APP_ID, '--redirect-uri', 'https://a.example/cb']);
});

const add = (name: string, person: number, now = NOW): ReturnType<typeof addPerson> =>
  withStoreOf(folder, (store) => addPerson(store, { clientId: APP_ID, name, person, now }));
const subOf = (person: number): string => `0x${person.toString(16).repeat(32)}`;
const idOf = (person: number): string =>
  createHash('sha256').update(new Uint8Array(32).fill(person)).digest('hex');
const list = async (): Promise<unknown[]> =>
  (await folder.json(['people', 'list', APP_ID])).people as unknown[];

describe('people list and show', () => {
  it('shows the people of an app by the digest of their sub, and what is stored about one', async () => {
    const { session, pointer } = await add('one', 0x11);
    await add('two', 0x22);
    await add('gone', 0x33, NOW - 3_600_000);
    expect(await list()).toMatchObject(
      [0x11, 0x22]
        .map((person) => ({ person_id: idOf(person), sessions: 1 }))
        .sort((a, b) => (a.person_id < b.person_id ? -1 : 1)),
    );
    const shown = await folder.json(['people', 'show', APP_ID, '--sub', subOf(0x11)]);
    expect(shown).toMatchObject({
      person_id: idOf(0x11),
      sessions: [{ id: shortDigest(session.sessionId), binding: 'bound' }],
      pointers: [{ id: shortDigest(pointer.pointerHash), kind: 'cookie' }],
    });
    expect(await folder.json(['people', 'show', APP_ID, '--person', idOf(0x11)])).toEqual(shown);
    for (const argv of [
      ['people', 'list', APP_ID],
      ['people', 'show', APP_ID, '--sub', subOf(0x11)],
    ]) {
      const { stdout } = await folder.run(argv);
      expect(stdout).toContain(argv[1] === 'list' ? idOf(0x11) : shortDigest(session.sessionId));
      expect(stdout).not.toContain(subOf(0x11).slice(2));
    }
  });

  it('wants one name of a person, and refuses an unknown one', async () => {
    for (const argv of [[], ['--sub', subOf(0x11), '--person', idOf(0x11)], ['--sub', '0x11']]) {
      await folder.fails(['people', 'show', APP_ID, ...argv], 2, 'expected');
    }
    for (const argv of [
      ['--sub', subOf(0x11)],
      ['--person', '11'],
    ]) {
      await folder.fails(['people', 'show', APP_ID, ...argv], 1, 'person.unknown');
    }
  });
});

describe('people forget', () => {
  it('forgets a pointer, a session, then the person, after confirmation', async () => {
    const one = await add('one', 0x11);
    const two = await add('two', 0x11);
    await add('other', 0x22);
    const forget = ['people', 'forget', APP_ID, '--sub', subOf(0x11)];
    await folder.fails(forget, 1, 'cli.refused');
    const pointer = shortDigest(one.pointer.pointerHash);
    expect(await folder.json([...forget, '--pointer', pointer, '--yes'])).toEqual({
      app_id: APP_ID,
      person_id: idOf(0x11),
      forgotten: `pointer ${pointer}`,
    });
    const session = shortDigest(two.session.sessionId);
    await folder.json([...forget, '--session', session, '--yes']);
    const left = await folder.json(['people', 'show', APP_ID, '--sub', subOf(0x11)]);
    expect(left).toMatchObject({ sessions: [{ id: shortDigest(one.session.sessionId) }], pointers: [] });
    await folder.fails([...forget, '--session', session, '--yes'], 1, 'person.unknown');
    await folder.fails([...forget, '--session', session, '--pointer', pointer, '--yes'], 2, 'not both');
    expect(await folder.json([...forget, '--yes'])).toMatchObject({ forgotten: 'all' });
    expect(await list()).toMatchObject([{ person_id: idOf(0x22) }]);
    const { audit } = await folder.json('audit list --action person.forgotten');
    expect(audit).toHaveLength(3);
    expect(JSON.stringify(audit)).not.toContain(subOf(0x11).slice(2));
  });
});

describe('people allow-beginning', () => {
  it('makes a login_hint that lasts a day, or as long as was asked for', async () => {
    const made = await folder.json(['people', 'allow-beginning', APP_ID], { env });
    expect(made).toEqual({
      login_hint: expect.stringMatching(/^beginning_[\w-]{43}$/),
      number: 2,
      expires_at: new Date(NOW + 86_400_000).toISOString(),
    });
    const short = ['people', 'allow-beginning', APP_ID, '--expires-in', '30m'];
    const { stdout } = await folder.run(short, { env });
    expect(stdout).toMatch(/^login_hint {2}beginning_[\w-]{43}\nnumber {6}3\n/);
    expect(stdout).toContain(new Date(NOW + 1_800_000).toISOString());
    await folder.fails([...short.slice(0, -1), '30s'], 2, '60 to 2592000 seconds', { env });
  });

  it('is refused while sign-in does not ask for World ID 4.0', async () => {
    await folder.fails(['people', 'allow-beginning', APP_ID], 1, 'signin.worldid4_off');
  });
});
