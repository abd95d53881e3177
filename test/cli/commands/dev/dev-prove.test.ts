import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hashSignal, hashToField } from '../../../../src/semaphore/hashes.ts';
import { toHex } from '../../../../src/semaphore/hex.ts';
import { SCALAR_ORDER } from '../../../../src/semaphore/words.ts';
import { DEVELOPMENT_KEY_BYTES, refreshProof } from '../../../development/support/fixtures.ts';
import { startEngine } from '../../../engine/support/describe-engine.ts';
import { bytes, words } from '../../../engine/support/vectors.ts';
import { RUNS_ALL } from '../../../support/cases.ts';
import {
  CIRCUIT_SKIP,
  developmentCircuit,
  linkDevelopmentCircuit,
} from '../../../support/crypto/development-circuit.ts';
import { makeCliFolder, productionEnv, useCliFolder } from '../../support/cli.ts';

const APP = 'app_369183bd38f1641b6964ab51d7a20434';
const RP = 'rp_47ac69c81397b357';
const NULLIFIER = '0x0b1609143eeb85c2a83f0b2f9d58eb6a3914b3cfc937d647ed6a38ce96fc8c32';
const EXTERNAL = '0x00dd12b56cebf29593d6d3208a061bbb19e60152c56045f277a15989d25d5215';
const COMMITMENT = '0x279bf5d4ad8cc6d814de3c0e13d62871f067380b663e1e454e00abdd081efe78';
const CHALLENGE = `0x${'5aF0'.repeat(16)}`;
const PROVE = ['dev', 'prove', '--app', APP, '--action', 'test-action'];

interface Item {
  readonly identifier: string;
  readonly merkle_root: string;
  readonly nullifier: string;
  readonly proof: string;
  readonly signal_hash?: string;
}

/** The engine's verdict under dev-depth30. */
async function verdict(proof: string, inputs: readonly string[]): Promise<unknown> {
  const { engine } = await startEngine({ workers: 0 });
  try {
    await engine.registerKey('dev-depth30', DEVELOPMENT_KEY_BYTES);
    return await engine.verify('dev-depth30', bytes(proof), words(inputs));
  } finally {
    await engine.close();
  }
}

describe('proofgate dev prove before the circuit is built', () => {
  const folder = useCliFolder({ isShared: true });
  beforeAll(async () => {
    await folder.json(['apps', 'add', '--app-id', APP]);
    await folder.json('dev person create --secret proofgate');
  });

  it.each([
    ['prove', PROVE],
    ['prove-refresh', ['dev', 'prove-refresh', '--sub', '0x1']],
  ])('%s names the command that builds it', async (_, argv) => {
    const { code, stdout, stderr } = await folder.run(argv);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain('proofgate: circuit.not_built: ');
    expect(stderr).toContain('`proofgate circuits setup`');
  });

  it.each([
    ['prove without an app', ['dev', 'prove', '--action', 'x']],
    ['prove without an action', ['dev', 'prove', '--app', APP]],
    ['prove with an empty action', ['dev', 'prove', '--app', APP, '--action', '']],
    ['prove for an unknown tree', [...PROVE, '--tree', 'face']],
    ['prove-refresh without a sub', ['dev', 'prove-refresh']],
    ...['', '1', '0x', '0x0', '0X1', '0x1g', `0x${'1'.repeat(65)}`, `0x${SCALAR_ORDER.toString(16)}`].map(
      (sub): [string, string[]] => [`prove-refresh for sub "${sub}"`, ['dev', 'prove-refresh', '--sub', sub]],
    ),
    ...[
      '',
      '0x',
      CHALLENGE.slice(0, -1),
      `${CHALLENGE}0`,
      CHALLENGE.slice(2),
      CHALLENGE.replace('0x', '0X'),
    ].map((challenge): [string, string[]] => [
      `prove-refresh for challenge "${challenge}"`,
      ['dev', 'prove-refresh', '--sub', '0x1', '--challenge', challenge],
    ]),
  ])('refuses %s as a usage error', async (_, argv) => {
    await folder.fails(argv, 2, 'proofgate: cli.usage: ');
  });

  it('requires a challenge when the settings require one', async () => {
    const env = { PROOFGATE_REFRESH_CHALLENGE_REQUIRED: 'true' };
    const argv = ['dev', 'prove-refresh', '--sub', '0x1'];
    const { code, stderr } = await folder.run(argv, { env });
    expect(code).toBe(2);
    expect(stderr).toContain('proofgate: cli.usage: --challenge: refresh.challengeRequired is on');
    const given = await folder.run([...argv, '--challenge', CHALLENGE], { env });
    expect(given.stderr).toContain('proofgate: circuit.not_built: ');
  });

  it.each([
    ['prove', PROVE],
    ['prove-refresh', ['dev', 'prove-refresh', '--sub', '0x1']],
  ])('%s is refused in production', async (_, argv) => {
    await folder.fails(argv, 1, 'proofgate: development.only: ', { env: productionEnv(folder.path) });
  });
});

/** Damages of a proving key after which no proof is printed; finding the second takes a whole proof. */
const DAMAGES: [string, (provingKey: Buffer) => void][] = [['all zeros', (provingKey) => provingKey.fill(0)]];
if (RUNS_ALL) {
  DAMAGES.push([
    'changed in one point',
    (provingKey) => {
      // the points of H, all of which enter a proof, are 100,000 bytes from the end
      const at = provingKey.length - 100_000;
      provingKey.writeUInt8(provingKey.readUInt8(at) ^ 1, at);
    },
  ]);
}

describe.skipIf(developmentCircuit === undefined)(`proofgate dev prove${CIRCUIT_SKIP}`, () => {
  const folder = useCliFolder({ isShared: true });
  let person: unknown;
  beforeAll(async () => {
    await linkDevelopmentCircuit(folder.path);
  });

  it('refuses an unregistered app', async () => {
    await folder.fails(PROVE, 1, 'proofgate: app.unknown: ');
  });

  it('names the command that creates a person when there is none', async () => {
    await folder.json(['apps', 'add', '--app-id', APP]);
    const { code, stdout, stderr } = await folder.run(PROVE);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain('proofgate: development.no_person: ');
    expect(stderr).toContain('`proofgate dev person create`');
  });

  it('prints a request body on one line, and its purpose on standard error', async () => {
    ({ person } = await folder.json('dev person create --secret proofgate'));
    const { code, stdout, stderr } = await folder.run(PROVE);
    expect(code).toBe(0);
    expect(stdout.endsWith('}\n') && stdout.indexOf('\n') === stdout.length - 1).toBe(true);
    const body = JSON.parse(stdout) as { nonce: string; responses: [Item] };
    expect(body).toEqual({
      protocol_version: '3.0',
      nonce: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      action: 'test-action',
      environment: 'staging',
      app_id: APP,
      responses: [
        {
          identifier: 'orb',
          merkle_root: expect.stringMatching(/^0x[0-9a-f]{64}$/),
          nullifier: NULLIFIER,
          proof: expect.stringMatching(/^0x[0-9a-f]{512}$/),
        },
      ],
    });
    const [item] = body.responses;
    const inputs = [item.merkle_root, item.nullifier, toHex(hashSignal('')), EXTERNAL];
    expect(await verdict(item.proof, inputs)).toEqual({ ok: true });
    expect(await folder.run('proof verify -', { stdin: stdout })).toEqual({
      code: 0,
      stdout: 'request 0 responses[0] orb: valid\n',
      stderr: '',
    });
    expect(stderr.split('\n')).toEqual([
      `proving as person ${person} of tree orb, about 2 s …`,
      expect.stringMatching(new RegExp(`/api/v4/verify/${RP}$`)),
      '',
    ]);
  });

  if (RUNS_ALL) {
    it('accepts an rp_id, a signal, a person and a tree, and is silent with --quiet', async () => {
      await folder.json('dev person create --secret proofgate --tree device');
      await folder.json('dev person create', { now: Date.UTC(2030, 0) });
      const argv = ['dev', 'prove', '--app', RP, '--action', 'test-action', '--signal', '0x68656c6c6f'];
      const { stdout, stderr } = await folder.run([
        ...argv,
        '--person',
        String(person),
        '--tree',
        'device',
        '--quiet',
      ]);
      expect(stderr).toBe('');
      const [item] = (JSON.parse(stdout) as { responses: [Item] }).responses;
      expect(item).toMatchObject({
        identifier: 'device',
        nullifier: NULLIFIER,
        signal_hash: toHex(hashSignal('hello')),
      });
      const inputs = [item.merkle_root, item.nullifier, item.signal_hash ?? '', EXTERNAL];
      expect(await verdict(item.proof, inputs)).toEqual({ ok: true });
    });

    it('proves as the person created last, in the tree where that person is', async () => {
      const last = await folder.json('dev person create --tree device', {
        now: Date.UTC(2031, 0),
      });
      const { stdout, stderr } = await folder.run(PROVE);
      expect(stderr).toContain(`proving as person ${last.person} of tree device`);
      const [item] = (JSON.parse(stdout) as { responses: [Item] }).responses;
      expect(item).toMatchObject({ identifier: 'device', merkle_root: last.root });
      expect(item.nullifier).not.toBe(NULLIFIER);
      const missing = await folder.run([...PROVE, '--tree', 'orb']);
      expect(missing.code).toBe(1);
      expect(missing.stderr).toContain(`person ${last.person} is not in the tree orb`);
    });
  }

  it('refuses an unknown person', async () => {
    const { code, stderr } = await folder.run([...PROVE, '--person', '000000000000']);
    expect(code).toBe(1);
    expect(stderr).toContain('proofgate: development.no_person: no person has this id');
  });

  it('prints idComm and header of a refresh, whose proof verifies for the sub', async () => {
    const sub = `0x${randomBytes(31).toString('hex')}`;
    const { code, stdout, stderr } = await folder.run(['dev', 'prove-refresh', '--sub', sub]);
    expect(code).toBe(0);
    expect(stderr).toBe('proving, about 2 s …\n');
    const [, idComm, header = ''] =
      /^idComm: (0x[0-9a-f]{64})\nx-zkp-proof: ([A-Za-z0-9+/=]+)\n$/.exec(stdout) ?? [];
    expect(idComm).toBe(COMMITMENT);
    expect(header.length).toBeLessThanOrEqual(3072);
    const members = JSON.parse(Buffer.from(header, 'base64').toString()) as Record<string, string>;
    const padded = `0x${sub.slice(2).padStart(64, '0')}`;
    expect(members).toMatchObject({ idCommitment: COMMITMENT, sub: padded });
    const inputs = [
      '0x284ec2782ec38c616bee1820936acdebe9f4fe8ce734d71fe2902eeae8eb0e87',
      members.nullifierHash ?? '',
      toHex(hashSignal(bytes(padded))),
      '0x001ae505b917085a25e4cdd9d18a19d9e5a10b00613fc75ed032e8503306c5bc',
    ];
    const proof = toHex(refreshProof(header));
    expect(await verdict(proof, inputs)).toEqual({ ok: true });
    inputs[2] = toHex(hashSignal(bytes(`${padded.slice(0, -2)}00`)));
    if (!padded.endsWith('00')) expect(await verdict(proof, inputs)).toEqual({ ok: false });
  });

  if (RUNS_ALL) {
    it('prints the header of another secret as JSON', async () => {
      const argv = ['dev', 'prove-refresh', '--sub', '0xAb', '--secret', 'another', '--quiet'];
      const shown = await folder.json(argv);
      expect(Object.keys(shown)).toEqual(['id_comm', 'header']);
      expect(shown.id_comm).not.toBe(COMMITMENT);
      const members = JSON.parse(Buffer.from(String(shown.header), 'base64').toString()) as object;
      expect(members).toMatchObject({ idCommitment: shown.id_comm, sub: `0x${'ab'.padStart(64, '0')}` });
    });

    it.each([
      ['text, for another service', [], toHex(Buffer.from('another service')), 'another service'],
      [
        'text and challenge, in hex',
        ['--challenge', CHALLENGE],
        `${toHex(Buffer.from('another service'))}${CHALLENGE.slice(2).toLowerCase()}`,
        undefined,
      ],
    ])('derives the external nullifier from the configured %s', async (_, options, preImage, spelling) => {
      const argv = ['dev', 'prove-refresh', '--sub', '0xab', '--quiet', ...options];
      const env = { PROOFGATE_REFRESH_EXTERNAL_NULLIFIER: 'another service' };
      const header = String((await folder.json(argv, { env })).header);
      const members = JSON.parse(Buffer.from(header, 'base64').toString()) as Record<string, string>;
      expect(members.externalNullifier).toBe(spelling ?? preImage);
      const inputs = [
        '0x284ec2782ec38c616bee1820936acdebe9f4fe8ce734d71fe2902eeae8eb0e87',
        members.nullifierHash ?? '',
        toHex(hashSignal(bytes(members.sub ?? ''))),
        toHex(hashToField(bytes(preImage))),
      ];
      expect(await verdict(toHex(refreshProof(header)), inputs)).toEqual({ ok: true });
    });
  }

  it.each(DAMAGES)('prints no invalid proof when the proving key is %s', async (_, damage) => {
    const damaged = await makeCliFolder();
    onTestFinished(() => damaged.remove());
    const { provingKey } = await linkDevelopmentCircuit(damaged.path);
    const changed = await readFile(provingKey);
    damage(changed);
    // replaced by a new file: the old one may be a link to a file that other tests use
    await rm(provingKey);
    await writeFile(provingKey, changed);
    await damaged.json(['apps', 'add', '--app-id', APP]);
    await damaged.json(['dev', 'person', 'create']);
    for (const argv of [PROVE, ['dev', 'prove-refresh', '--sub', '0x1']]) {
      const { code, stdout, stderr } = await damaged.run(argv);
      expect(code).toBe(1);
      expect(stdout).toBe('');
      expect(stderr).toContain('proofgate: circuit.prover_failed: ');
      expect(stderr).toContain('proofgate circuits setup --force');
    }
  });
});
