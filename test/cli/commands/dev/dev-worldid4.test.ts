// Rules: spec/worldid4.md#development
import { beforeAll, describe, expect, it } from 'vitest';
import { productionEnv, useCliFolder } from '../../support/cli.ts';

const APP = 'app_369183bd38f1641b6964ab51d7a20434';
const RP = 'rp_47ac69c81397b357';
const PROVE = ['dev', 'prove', '--protocol', '4.0', '--app', APP];
const SEED = ['dev', 'worldid4', 'seed'];

describe('proofgate dev worldid4', () => {
  const folder = useCliFolder({ isShared: true });
  beforeAll(async () => {
    await folder.json(['apps', 'add', '--app-id', APP]);
  });

  it('seed is named by dev prove, adds what it needs, and can be repeated', async () => {
    const before = await folder.run([...PROVE, '--action', 'a']);
    expect(before).toMatchObject({ code: 1, stdout: '' });
    expect(before.stderr).toContain('proofgate: development.no_seed: ');
    expect(before.stderr).toContain('`proofgate dev worldid4 seed`');
    const seeded = await folder.json(SEED);
    expect(seeded).toMatchObject({ root: 'added', issuer_schema_id: '1', issuer: 'added' });
    expect(seeded.oprf_keys).toHaveLength(2);
    expect(seeded.oprf_keys).toContain(RP);
    expect(await folder.json(SEED)).toMatchObject({ root: 'kept', issuer: 'kept', oprf_keys: [] });
    expect((await folder.run(SEED)).stdout).toContain('new OPRF keys: none');
  });

  it('prove prints a request body on one line, and its purpose on standard error', async () => {
    const { code, stdout, stderr } = await folder.run([...PROVE, '--action', 'a', '--nullifier', '12']);
    expect(code, stderr).toBe(0);
    expect(stdout.indexOf('\n')).toBe(stdout.length - 1);
    expect(JSON.parse(stdout)).toMatchObject({
      protocol_version: '4.0',
      action: 'a',
      responses: [
        { identifier: 'proof_of_human', issuer_schema_id: 1, nullifier: `0x${'c'.padStart(64, '0')}` },
      ],
    });
    expect(stderr).toContain('verify.worldid4.enabled is off');
    expect(stderr).toContain(`/api/v4/verify/${RP}\n`);
    const env = { PROOFGATE_VERIFY_WORLDID4_ENABLED: 'true' };
    expect((await folder.run([...PROVE, '--action', 'a'], { env })).stderr).not.toContain('is off');
  });

  it('prove makes a session without an id, and continues one', async () => {
    const first = await folder.json([...PROVE, '--session', '--quiet']);
    const next = await folder.json([...PROVE, '--session', String(first.session_id), '--quiet']);
    expect(next.session_id).toBe(first.session_id);
  });

  it('prove binds a uniqueness proof to a session, and says if a service would refuse it', async () => {
    const { code, stdout, stderr } = await folder.run([...PROVE, '--action', 'a', '--session']);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      action: 'a',
      proof_type: 'uniqueness',
      session_id: expect.stringMatching(/^session_[0-9a-f]{128}$/),
    });
    expect(stderr).toContain('verify.worldid4.boundSessions is off');
    const env = { PROOFGATE_VERIFY_WORLDID4_BOUND_SESSIONS: 'true' };
    const bound = await folder.run([...PROVE, '--action', 'a', '--session'], { env });
    expect(bound.stderr).not.toContain('boundSessions');
  });

  it('prove takes issuer and label from the settings', async () => {
    const env = { PROOFGATE_VERIFY_WORLDID4_ISSUERS_STAGING: '77:face|selfie' };
    await folder.json(SEED, { env });
    const { responses } = await folder.json([...PROVE, '--action', 'a', '--quiet'], { env });
    expect(responses).toMatchObject([{ identifier: 'face', issuer_schema_id: 77 }]);
  });

  it.each([
    [[], 'expected --action, --session or both'],
    [['--action', 'a', '--session', 'x'], '--session: expected session_ and 128 hex digits'],
    [['--action', ''], '--action: expected a text'],
    [['--session', 'session_12'], '--session: expected session_ and 128 hex digits'],
    [['--action', 'a', '--nullifier', 'ab'], '--nullifier: expected a number below the scalar order r'],
    [['--action', 'a', '--nullifier', `0x${'f'.repeat(64)}`], '--nullifier: expected a number below'],
    [['--action', 'a', '--person', 'b'], '--person is for --protocol 3.0 only'],
  ])('prove refuses %j', async (options, message) => {
    await folder.fails([...PROVE, ...options], 2, message);
  });

  it.each([
    [['--action', 'a', '--session'], '--session is for --protocol 4.0 only'],
    [['--action', 'a', '--nullifier', '1'], '--nullifier is for --protocol 4.0 only'],
  ])('prove of 3.0 refuses %j', async (options, message) => {
    await folder.fails(['dev', 'prove', '--app', APP, ...options], 2, message);
  });

  it.each([
    ['prove', [...PROVE, '--action', 'a']],
    ['seed', SEED],
  ])('%s is refused in production', async (_, argv) => {
    await folder.fails(argv, 1, 'proofgate: development.only: ', { env: productionEnv(folder.path) });
  });
});
