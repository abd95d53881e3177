// Rules: spec/sign-in.md#relying-party
import { describe, expect, it } from 'vitest';
import { addPerson } from '../../../support/signin/add-person.ts';
import { NOW, useCliFolder } from '../../support/cli.ts';
import { withStoreOf } from '../../support/store-of.ts';

const FORMER = 'rp_0123456789abcdef';
const NEXT = 'rp_fedcba9876543210';
const APP_ID = 'app_369183bd38f1641b6964ab51d7a20434';
const envOf = (rpId: string): Record<string, string> => ({
  PROOFGATE_VERIFY_WORLDID4_ENABLED: 'true',
  PROOFGATE_SIGNIN_WORLDID4_RP_ID: rpId,
});
const COMMAND = ['signin', 'confirm-rp'];

const folder = useCliFolder();

describe('signin confirm-rp', () => {
  it('replaces the stored relying party after confirmation, and forgets the people of all apps', async () => {
    await folder.json(['apps', 'add', '--app-id', APP_ID]);
    await withStoreOf(folder, async (store) => {
      await store.relyingParty.establish(FORMER, NOW);
      for (const [index, clientId] of [APP_ID, `app_${'2'.repeat(32)}`].entries()) {
        await addPerson(store, { clientId, name: `s${index}`, person: 0x11 + index, now: NOW });
      }
    });
    const env = envOf(NEXT);
    await folder.fails(COMMAND, 1, 'cli.refused', { env });
    expect(await withStoreOf(folder, (store) => store.relyingParty.find())).toBe(FORMER);
    const replaced = { stored: FORMER, configured: NEXT, replaced: true, forgotten_sessions: 2 };
    expect(await folder.json([...COMMAND, '--yes'], { env })).toEqual(replaced);
    await withStoreOf(folder, async (store) => {
      expect(await store.relyingParty.find()).toBe(NEXT);
      expect(await store.rowCounts()).toMatchObject({ worldid_sessions: 0, signin_pointers: 0 });
    });
    expect((await folder.json('audit list --action signin.relying_party_replaced')).audit).toMatchObject([
      { target: NEXT, before: { rp_id: FORMER }, after: { rp_id: NEXT } },
    ]);
  });

  it('changes nothing if there is nothing to confirm', async () => {
    const env = envOf(FORMER);
    await folder.json(['apps', 'add', '--app-id', APP_ID]);
    const shown = { configured: FORMER, replaced: false };
    expect(await folder.json([...COMMAND, '--yes'], { env })).toEqual({ ...shown, stored: null });
    await withStoreOf(folder, (store) => store.relyingParty.establish(FORMER, NOW));
    expect(await folder.json([...COMMAND, '--yes'], { env })).toEqual({ ...shown, stored: FORMER });
    const { stdout } = await folder.run(COMMAND, { env });
    expect(stdout).toContain('nothing to confirm');
    await folder.fails([...COMMAND, '--yes'], 1, 'signin.worldid4_off');
  });
});
