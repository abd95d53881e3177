import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { nativeAddonFile } from '../../../../src/engine/backends/load-backend.ts';
import { casesOf } from '../../../support/cases.ts';
import { type CliFolder, NOW, useCliFolder } from '../../support/cli.ts';

interface Proof {
  readonly depth: number;
  readonly merkle_root: string;
  readonly nullifier_hash: string;
  readonly signal_hash: string;
  readonly external_nullifier_hash: string;
  readonly proof: string;
}

/** Enough that they do not fit the pipe and the queue of the engine. */
const LINES = casesOf(12_000, 3000);
const R = '0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001';
const ARGV = ['proof', 'verify', '-', '--key', 'semaphore-depth30'];
const folder = useCliFolder({ isShared: true });
let proofs: readonly Proof[];

beforeAll(async () => {
  const vectors = new URL('../../../vectors/', import.meta.url);
  const files = await Promise.all(
    ['semaphore-proofs.json', 'semaphore-proofs-bulk.json'].map(
      async (name) => JSON.parse(await readFile(new URL(name, vectors), 'utf8')) as Proof[],
    ),
  );
  proofs = files.flat().filter((proof) => proof.depth === 30);
});

function proof(index: number): Proof {
  const found = proofs[index % proofs.length];
  if (found === undefined) {
    throw new Error('no proof data');
  }
  return found;
}

function inputsOf({ merkle_root, nullifier_hash, signal_hash, external_nullifier_hash }: Proof): string[] {
  return [merkle_root, nullifier_hash, signal_hash, external_nullifier_hash];
}

function line(
  index: number,
  change: (entry: { inputs: unknown; proof: unknown }) => void = () => undefined,
): string {
  const entry = { inputs: inputsOf(proof(index)) as unknown, proof: proof(index).proof as unknown };
  change(entry);
  return JSON.stringify(entry);
}

/** Lines of each kind, with their verdicts. */
const KINDS: readonly (readonly [verdict: string, line: (index: number) => string])[] = [
  ['valid', (index) => line(index)],
  [
    'false',
    (index) =>
      line(index, (entry) => Object.assign(entry, { inputs: inputsOf(proof(index)).toSpliced(2, 1, '0x1') })),
  ],
  [
    'proof.length: expected 256 or 128 bytes, or 260 with a selector, got 255',
    (index) => line(index, (entry) => Object.assign(entry, { proof: proof(index).proof.slice(0, -2) })),
  ],
  [
    // no 0x
    'valid',
    (index) => line(index, (entry) => Object.assign(entry, { proof: proof(index).proof.slice(2) })),
  ],
  [
    'input.count: expected 4 public signals, got 3',
    (index) => line(index, (entry) => Object.assign(entry, { inputs: inputsOf(proof(index)).slice(1) })),
  ],
  [
    'input.form: publicSignals[0]: expected decimal digits, or 0x and hex digits, got "1a", which lacks 0x',
    (index) =>
      line(index, (entry) => Object.assign(entry, { inputs: inputsOf(proof(index)).toSpliced(0, 1, '1a') })),
  ],
  [
    'input.range',
    (index) =>
      line(index, (entry) => Object.assign(entry, { inputs: inputsOf(proof(index)).toSpliced(3, 1, R) })),
  ],
  [
    'entry.malformed: expected JSON, or one proof with its public signals in a second file',
    () => '{"inputs": [',
  ],
  ['entry.malformed: expected an object or an array, got string', () => '"proof"'],
  [
    'entry.malformed: expected a proof in the member proof, or its points',
    (index) => JSON.stringify({ inputs: inputsOf(proof(index)) }),
  ],
  [
    'proof.coordinate_range',
    (index) =>
      line(index, (entry) =>
        Object.assign(entry, { proof: `0x${'f'.repeat(64)}${proof(index).proof.slice(66)}` }),
      ),
  ],
  [
    'proof.point_not_on_curve',
    (index) =>
      line(index, (entry) =>
        Object.assign(entry, { proof: `0x${'1'.padStart(64, '0')}${proof(index).proof.slice(66)}` }),
      ),
  ],
];

const BACKENDS = ['native', 'wasm'] as const;

describe.each(BACKENDS)('proof verify, %s', (backend) => {
  const isAbsent = backend === 'native' && !existsSync(nativeAddonFile());

  it.skipIf(isAbsent)('prints valid for each proof of an array and exits 0', async () => {
    const file = join(folder.path, 'proofs.json');
    await writeFile(file, JSON.stringify(proofs, null, 2));
    const { code, stdout, stderr } = await folder.run(
      `proof verify ${file} --key semaphore-depth30 --backend ${backend}`,
    );
    expect(stderr).toBe('');
    expect(stdout).toBe('valid\n'.repeat(proofs.length));
    expect(code).toBe(0);
  });

  it.skipIf(isAbsent)('prints the verdict of each kind of entry, in the order of the input', async () => {
    const stdin = KINDS.map(([, make], index) => make(index)).join('\n');
    for (const mode of [[], ['--single']]) {
      const { code, stdout } = await folder.run([...ARGV, '--backend', backend, ...mode], { stdin });
      expect(stdout.trimEnd().split('\n')).toEqual(KINDS.map(([verdict]) => verdict));
      expect(code).toBe(1);
    }
  });

  it.skipIf(isAbsent)(
    `streams ${LINES} lines of mixed kinds and prints their verdicts in order`,
    async () => {
      // Most entries are refused before the engine; of the kinds that need a pairing, one in 50 keeps the suite
      // short.
      const cheap = [2, 4, 5, 7, 8, 9];
      const kindOf = (index: number): number =>
        index % 50 === 0 ? 0 : index % 50 === 1 ? 1 : (cheap[index % cheap.length] ?? 2);
      function* lines(): Generator<string> {
        for (let index = 0; index < LINES; index += 1) {
          yield `${KINDS[kindOf(index)]?.[1](index)}\n`;
        }
      }
      const { code, stdout } = await folder.run([...ARGV, '--backend', backend, '--json'], {
        stdin: Readable.from(lines()),
      });
      const answers = stdout.trimEnd().split('\n');
      expect(answers).toHaveLength(LINES);
      const wrong = answers.filter((answer, n) => {
        const [verdict, ...message] = (KINDS[kindOf(n)]?.[0] ?? '').split(': ');
        const more = message.length === 0 ? {} : { message: message.join(': ') };
        return answer !== JSON.stringify({ n, verdict, ...more });
      });
      expect(wrong).toEqual([]);
      expect(code).toBe(1);
    },
  );
});

/** Runs on the calling thread: the tests above have workers, whose start takes longer than these tests. */
const run: CliFolder['run'] = (argv, input) =>
  folder.run(argv, { ...input, env: { PROOFGATE_ENGINE_WORKERS: '0' } });

describe('proof verify of requests', () => {
  interface Known extends Proof {
    readonly app_id: string;
    readonly rp_id: string;
    readonly action: string;
    readonly proof_compressed: readonly string[];
  }
  const known = (): readonly [Known, Known] => {
    const found = (proofs as readonly Partial<Known>[]).filter(({ action }) => action === 'testing');
    return found as unknown as readonly [Known, Known];
  };
  const item = ({
    merkle_root,
    nullifier_hash,
    signal_hash,
    proof: text,
  }: Known): Record<string, unknown> => ({
    identifier: 'orb',
    merkle_root,
    nullifier: nullifier_hash,
    proof: text,
    signal_hash,
  });
  const request = (responses: readonly unknown[], more: Record<string, unknown> = {}): string =>
    JSON.stringify({ protocol_version: '3.0', nonce: '0x1', action: 'testing', responses, ...more });
  const REQUEST = ['proof', 'verify', '-'];
  const removeApp = async (id: string): Promise<void> => {
    await folder.run(['apps', 'remove', id, '--yes']);
  };

  it('checks each response with the key of the settings, and names it', async () => {
    const [first, second] = known();
    const responses = [
      item(first),
      { ...item(second), identifier: 'device' },
      { ...item(first), signal_hash: '0x01' },
      {
        ...item(first),
        proof: `0x${[...first.proof_compressed, ...Array(4).fill('0x')].map((word: string) => word.slice(2).padStart(64, '0')).join('')}`,
      },
      { ...item(first), proof: '0x12' },
      { ...item(first), nullifier: 5 },
      { ...item(first), identifier: 'iris' },
      'orb',
    ];
    const stdin = request(responses);
    const { code, stdout, stderr } = await run([...REQUEST, '--app', first.app_id], { stdin });
    expect(stderr).toBe('');
    expect(stdout.trimEnd().split('\n')).toEqual([
      'request 0 responses[0] orb: valid',
      'request 0 responses[1] device: valid',
      'request 0 responses[2] orb: false',
      'request 0 responses[3] orb: valid',
      'request 0 responses[4] orb: item.proof_format',
      'request 0 responses[5] orb: entry.malformed',
      'request 0 responses[6] ?: entry.malformed',
      'request 0 responses[7] ?: entry.malformed',
    ]);
    expect(code).toBe(1);
  });

  it('applies the policy of an app that is registered here', async () => {
    const [first] = known();
    const bodies = [
      request([item(first)]),
      request([item(first)], { environment: 'staging' }),
      request([item(first), { ...item(first), identifier: 'device' }]),
      request([item(first)], { action: 'another' }),
    ];
    const verdicts = async (policy: object): Promise<readonly string[]> => {
      await folder.json(['apps', 'update', first.app_id, '--policy', JSON.stringify(policy)]);
      const { stdout } = await run([...REQUEST, '--app', first.app_id, '--json'], {
        stdin: bodies.join('\n'),
      });
      const lines = stdout.trimEnd().split('\n');
      return lines.map((text) => (JSON.parse(text) as { verdict: string }).verdict);
    };
    await folder.json(['apps', 'add', '--app-id', first.app_id]);
    onTestFinished(() => removeApp(first.app_id));
    const floor = request([item(first)], { min_protocol_version: '4.0' });
    const { stdout } = await run([...REQUEST, '--app', first.app_id, '--json'], { stdin: floor });
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'verify.protocol_version_not_allowed' });
    const open = await verdicts({});
    expect(open).toEqual(['valid', 'false', 'valid', 'valid', 'false']);
    const environment = 'policy.environment_not_allowed';
    expect(await verdicts({ environments: ['production'] })).toEqual(open.with(1, environment));
    expect(await verdicts({ credentials: ['orb'] })).toEqual(open.with(3, 'policy.credential_not_allowed'));
    expect(await verdicts({ actions: ['testing'] })).toEqual(open.with(4, 'policy.action_not_allowed'));
    const version = 'policy.protocol_not_allowed';
    expect(await verdicts({ protocols: ['4.0'] })).toEqual(open.map(() => version));
  });

  it('judges the age of a root by the policy of the app, as far as the registry knows the root', async () => {
    const [first, second] = known();
    await folder.json(['apps', 'add', '--app-id', first.app_id, '--policy', '{"maxRootAgeSeconds":3600}']);
    onTestFinished(() => removeApp(first.app_id));
    const root = [
      'roots',
      'add',
      '--environment',
      'production',
      '--tree',
      'orb',
      '--root',
      first.merkle_root,
    ];
    const verdictsAt = async (now: number): Promise<readonly string[]> => {
      const stdin = request([item(first), { ...item(second), identifier: 'device' }]);
      const { stdout } = await run([...REQUEST, '--app', first.app_id, '--json'], { stdin, now });
      const lines = stdout.trimEnd().split('\n');
      return lines.map((text) => (JSON.parse(text) as { verdict: string }).verdict);
    };
    await folder.json([...root, '--received-at', String(NOW), '--superseded-at', String(NOW)]);
    expect(await verdictsAt(NOW + 3_600_000)).toEqual(['valid', 'item.root_unknown']);
    expect(await verdictsAt(NOW + 3_600_001)).toEqual(['item.root_too_old', 'item.root_unknown']);
  });

  it('accepts requests and proofs line by line, and prints the position of each as JSON', async () => {
    const [first, second] = known();
    const lines = [
      request([item(first)], { app_id: first.app_id }),
      JSON.stringify(first),
      request([item(second), item(second)], { app_id: first.app_id, environment: 'production' }),
    ];
    const { code, stdout } = await run([...REQUEST, '--key', 'semaphore-depth30', '--json'], {
      stdin: lines.join('\n'),
    });
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((text) => JSON.parse(text)),
    ).toEqual([
      { n: 0, verdict: 'valid', request: 0, response: 0, identifier: 'orb' },
      { n: 1, verdict: 'valid' },
      { n: 2, verdict: 'valid', request: 1, response: 0, identifier: 'orb' },
      { n: 3, verdict: 'valid', request: 1, response: 1, identifier: 'orb' },
    ]);
    expect(code).toBe(0);
  });

  it('says of World ID 4.0 requests that they are not read, without asking for an app', async () => {
    const [first] = known();
    const lines = [
      request([{ identifier: 'proof_of_human' }, {}], { protocol_version: '4.0' }),
      request([item(first)], { app_id: first.app_id }),
    ];
    const { code, stdout, stderr } = await run(REQUEST, { stdin: lines.join('\n') });
    expect(stderr).toBe('');
    expect(stdout.trimEnd().split('\n')).toEqual([
      'request 0 responses[0] ?: entry.newer_protocol',
      'request 0 responses[1] ?: entry.newer_protocol',
      'request 1 responses[0] orb: valid',
    ]);
    expect(code).toBe(1);
  });

  it('binds the proof to app and action', async () => {
    const [first] = known();
    const other = ['--app', 'app_369183bd38f1641b6964ab51d7a20434'];
    expect((await run([...REQUEST, ...other], { stdin: request([item(first)]) })).stdout).toContain('false');
    const stdin = request([item(first)], { action: 'other' });
    expect((await run([...REQUEST, '--app', first.app_id], { stdin })).stdout).toContain('false');
    const bare = request([item(first)], { action: '' });
    expect((await run([...REQUEST, '--app', first.app_id], { stdin: bare })).stdout).toContain('malformed');
  });

  it('finds the app of an rp_id in the store', async () => {
    const [first] = known();
    const argv = [...REQUEST, '--app', first.rp_id];
    const stdin = request([item(first)]);
    expect((await run(argv, { stdin })).stderr).toContain('proofgate: app.unknown: ');
    await folder.json(['apps', 'add', '--app-id', first.app_id]);
    expect((await run(argv, { stdin })).stdout).toBe('request 0 responses[0] orb: valid\n');
  });

  it('requires the app or key that neither command line nor file names', async () => {
    const [first] = known();
    const noApp = await run(REQUEST, { stdin: request([item(first)]) });
    expect([noApp.code, noApp.stderr.includes('proofgate: cli.usage: --app: required')]).toEqual([2, true]);
    const noKey = await run(REQUEST, { stdin: line(0) });
    expect([
      noKey.code,
      noKey.stderr.includes('proofgate: cli.usage: --key or --key-file: required'),
    ]).toEqual([2, true]);
  });
});

describe('proof verify, input forms and refusals', () => {
  it('accepts one object over several lines', async () => {
    const { code, stdout } = await run(ARGV, { stdin: JSON.stringify(proof(0), null, 2) });
    expect(stdout).toBe('valid\n');
    expect(code).toBe(0);
  });

  it('accepts one object with inputs, and prints JSON with --json', async () => {
    const { code, stdout } = await run([...ARGV, '--json'], { stdin: line(3) });
    expect(stdout).toBe('{"n":0,"verdict":"valid"}\n');
    expect(code).toBe(0);
  });

  it('exits 1 when one entry of many is false', async () => {
    const changed = { ...proof(1), signal_hash: '0x2' };
    const { code, stdout } = await run(ARGV, { stdin: JSON.stringify([proof(0), changed]) });
    expect(stdout).toBe('valid\nfalse\n');
    expect(code).toBe(1);
  });

  it('refuses a compressed proof that does not decompress', async () => {
    const words = `${'2'.padStart(64, '0')}`.repeat(4);
    const stdin = JSON.stringify({ inputs: inputsOf(proof(0)), proof: `0x${words}${'0'.repeat(256)}` });
    expect((await run(ARGV, { stdin })).stdout).toBe('proof.decompression\n');
  });

  it('uses an imported key', async () => {
    const file = new URL('../../../../circuits/semaphore-depth30/verification-key.json', import.meta.url);
    await folder.json('vkey import - --id mine', { stdin: await readFile(file, 'utf8') });
    const { code } = await run(['proof', 'verify', '-', '--key', 'mine'], { stdin: line(0) });
    expect(code).toBe(0);
  });

  it('refuses an unknown key, a missing file, an unknown backend and an empty file', async () => {
    const unknown = await run(['proof', 'verify', '-', '--key', 'absent'], { stdin: line(0) });
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('proofgate: engine.key_unknown: ');
    const missing = await run(['proof', 'verify', join(folder.path, 'none'), '--key', 'semaphore-depth30']);
    expect(missing.code).toBe(2);
    expect((await run([...ARGV, '--backend', 'gpu'], { stdin: line(0) })).code).toBe(2);
    const empty = await run(ARGV, { stdin: '' });
    expect(empty.code).toBe(1);
    expect(empty.stderr).toContain('proofgate: entry.malformed: ');
  });
});
