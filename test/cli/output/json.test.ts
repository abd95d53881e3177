// Rules: spec/operations.md#command-line
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Command, RunningApp } from '../../../src/cli/program/command.ts';
import { loadAllCommands } from '../../../src/cli/program/table.ts';
import { type CliInput, useCliFolder } from '../support/cli.ts';
import { enrolmentLine } from '../support/enrolment-lines.ts';
import { orbPem } from '../support/orb-pem.ts';
import { skipBackendTrials } from '../support/skip-backend-trials.ts';

skipBackendTrials();

const COMMANDS = await loadAllCommands();
const APP = 'app_369183bd38f1641b6964ab51d7a20434';
/** A sub of nobody. */
const NOBODY = `0x${'00'.repeat(32)}`;
const ID_COMM = '0x7';
const ORB = '0c1d2e3f';
const KEY = fileURLToPath(
  new URL('../../../circuits/semaphore-depth20/verification-key.json', import.meta.url),
);
const ROOT = ['--environment', 'production', '--tree', 'orb', '--root'];
const ISSUER = ['--environment', 'staging', '--id', '1'];
const OPRF_KEY = ['--environment', 'staging', '--rp-id', 'rp_0123456789abcdef'];
// the generator of spec/credential.md#babyjubjub
const POINT = [
  '--x',
  '5299619240641551281634865583518297030282874472190772894086521144482721001553',
  '--y',
  '16950150798460657717958625567821834550301663161624707787222815936182638968203',
];
const PRODUCTION = ['--profile', 'production'];
const REFUSED = 'refused';
/**
 * Commands whose own tests cover `--json`: they need a sign-in, a secret, a credential or a running service.
 */
const ELSEWHERE = [
  'apps remove-secret',
  'keys remove',
  'credential verify',
  'login-demo',
  'dev approve',
  'dev prove-refresh',
  'backup',
  'restore',
  'admin-tokens revoke',
];

/** A service that has started and ends immediately. */
const RUNNING: RunningApp = {
  onReload: () => undefined,
  logIgnoredSignal: () => undefined,
  publicUrl: 'http://127.0.0.1:1',
  adminUrl: 'http://127.0.0.1:2',
  exampleCurl: undefined,
  exampleCurl4: undefined,
  groth16Curl: undefined,
  refreshCurl: undefined,
  demoUrl: undefined,
  walletUrl: undefined,
  docsUrl: undefined,
  verifyUrl: 'http://127.0.0.1:1',
  issuerUrl: 'http://127.0.0.1:1',
  circuit: undefined,
  failed: Promise.resolve(undefined),
  stop: async () => true,
};

interface Recipe {
  readonly argv?: readonly string[];
  readonly input?: CliInput;
  /** The command is refused here: it needs a circuit, a running service or another profile. */
  readonly outcome?: typeof REFUSED;
}

const folder = useCliFolder({ isShared: true });
let orbKey: string;

/** Input of each command so that it has something to print, in the order of the runs. */
function recipes(): Map<string, Recipe> {
  const pem = orbPem(1);
  orbKey = pem.hash;
  const proofs = readFileSync(new URL('../../vectors/semaphore-proofs.json', import.meta.url), 'utf8');
  return new Map<string, Recipe>([
    ['serve', { input: { buildApp: async () => RUNNING } }],
    ['init production', { argv: [join(folder.path, 'production')] }],
    ['apps add', { argv: ['--app-id', APP, '--redirect-uri', 'https://a.example/cb'] }],
    ['apps list', {}],
    ['apps show', { argv: [APP] }],
    ['apps update', { argv: [APP, '--name', 'Other'] }],
    ['apps rotate-secret', { argv: [APP] }],
    ['apps disable', { argv: [APP] }],
    ['apps enable', { argv: [APP] }],
    ['keys list', {}],
    ['keys rotate', { argv: ['--use', 'credential'] }],
    ['keys export', { argv: ['--public'] }],
    ['tokens introspect', { argv: ['--jti', '00000000-0000-4000-8000-000000000000'] }],
    ['tokens revoke', { argv: ['--jti', '00000000-0000-4000-8000-000000000000', '--yes'] }],
    ['refresh-tokens list', { argv: ['--app', APP] }],
    ['refresh-tokens revoke', { argv: ['--app', APP, '--all', '--yes'] }],
    ['sessions list', { argv: ['--app', APP] }],
    ['sessions revoke', { argv: ['--app', APP, '--yes'] }],
    ['people list', { argv: [APP] }],
    ['people show', { argv: [APP, '--sub', NOBODY], outcome: REFUSED }],
    ['people forget', { argv: [APP, '--sub', NOBODY, '--yes'], outcome: REFUSED }],
    ['people allow-beginning', { argv: [APP], outcome: REFUSED }],
    ['signin confirm-rp', { argv: ['--yes'], outcome: REFUSED }],
    ['vkey import', { argv: [KEY, '--id', 'mine'] }],
    ['vkey list', {}],
    ['circuits setup', { argv: PRODUCTION, outcome: REFUSED }],
    ['roots add', { argv: [...ROOT, '0x5'] }],
    ['roots list', {}],
    ['roots export', {}],
    [
      'roots import',
      { argv: ['-'], input: { stdin: '{"environment":"production","tree":"orb","root":"0x6"}' } },
    ],
    ['roots sources list', {}],
    ['roots sources check', {}],
    ['roots sources reset', { argv: ['none', '--yes'], outcome: REFUSED }],
    ['roots prune', { argv: ['--before', '2020-01-01', '--yes'] }],
    ['issuers add', { argv: [...ISSUER, ...POINT] }],
    ['issuers list', {}],
    ['issuers import', { argv: ['-'], input: { stdin: '' } }],
    ['issuers remove', { argv: [...ISSUER, '--yes'] }],
    ['oprf-keys add', { argv: [...OPRF_KEY, ...POINT] }],
    ['oprf-keys list', {}],
    ['oprf-keys import', { argv: ['-'], input: { stdin: '' } }],
    ['oprf-keys remove', { argv: [...OPRF_KEY, '--yes'] }],
    ['signups import', { argv: ['-'], input: { stdin: enrolmentLine(7) } }],
    ['signups show', { argv: [ID_COMM] }],
    ['signups revoke', { argv: [ID_COMM, '--yes'] }],
    ['orb-keys import', { argv: ['-'], input: { stdin: JSON.stringify({ orb_id: ORB, keys: [pem.pem] }) } }],
    ['orb-keys list', { argv: [ORB] }],
    ['orb-keys revoke', { argv: [ORB, orbKey, '--yes'] }],
    ['refresh disable', {}],
    ['refresh enable', {}],
    ['credentials export', { argv: ['--since', '2020-01-01'] }],
    ['proof verify', { argv: ['-', '--key', 'semaphore-depth30'], input: { stdin: proofs } }],
    ['convert', { argv: [KEY, '--to', 'solidity'] }],
    ['hash signal', { argv: ['a'] }],
    ['hash action', { argv: [APP, 'a'] }],
    [
      'rp sign-request',
      { argv: ['--rp-id', 'rp_1234567890abcdef', '--key-file', '-'], input: { stdin: 'ab'.repeat(32) } },
    ],
    ['dev person create', { argv: ['--secret', 'alice'] }],
    ['dev person list', {}],
    ['dev prove', { argv: ['--app', APP, '--action', 'a'], outcome: REFUSED }],
    ['dev worldid4 seed', {}],
    ['config explain', {}],
    ['config schema', {}],
    ['openapi', { argv: ['admin'] }],
    ['migrate up', {}],
    ['migrate status', {}],
    ['nodes list', {}],
    ['store copy', { argv: ['--to', `libsql:${join(folder.path, 'copy.db')}`, '--ahead'] }],
    ['store reopen', { argv: ['--yes'] }],
    ['sweep', {}],
    ['doctor', { argv: ['--server.port=0', '--admin.port=0'] }],
    ['bench', { argv: ['--shape'] }],
    ['healthcheck', { argv: ['--server.port=0'], outcome: REFUSED }],
    ['completion', { argv: ['bash'] }],
    ['apps remove', { argv: [APP, '--yes'] }],
    ['admin-tokens add', { argv: ['--name', 'mine', '--scope', 'read'] }],
    ['admin-tokens list', {}],
    ['audit list', {}],
    ['audit export', {}],
    ['audit verify', {}],
    ['webhooks list', {}],
    ['webhooks resend', { argv: ['msg_none'], outcome: REFUSED }],
    ['webhooks test', { outcome: REFUSED }],
  ]);
}

/** Placeholder values for the required arguments and options of a command. */
function placeholders({ arguments: positional = [], options = [] }: Command): string[] {
  const place = join(folder.path, 'nothing');
  const required = options.filter(({ isRequired }) => isRequired);
  return [
    ...positional.map(() => place),
    ...required.flatMap(({ flags }) => [flags.split(' ')[0] ?? '', place]),
  ];
}

beforeAll(async () => {
  await folder.json('migrate up');
});

function jsonLines(text: string): unknown[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}

describe('--json', () => {
  it('makes every command that needs only a folder print its result as JSON, and nothing else, on standard output', async () => {
    const paths = COMMANDS.map(({ path }) => path.join(' '));
    expect([...recipes().keys(), ...ELSEWHERE].sort()).toEqual(paths.sort());
    for (const [words, { argv = [], input = {}, outcome }] of recipes()) {
      const result = await folder.run([...words.split(' '), ...argv, '--json'], input);
      const shown = `${words}: ${result.code} ${result.stderr}`;
      if (outcome === REFUSED) {
        expect(result.stdout, shown).toBe('');
        continue;
      }
      expect(result.stderr, shown).not.toContain('"error"');
      // no credential was issued that could be exported
      if (words !== 'credentials export') expect(jsonLines(result.stdout), shown).not.toHaveLength(0);
    }
  });

  it.each(COMMANDS.map((command) => [command.path.join(' '), command] as const))(
    'makes %s print a refusal as JSON on standard error, or a result as JSON',
    async (words, command) => {
      // outside production, this command would run for minutes
      const profile = words === 'circuits setup' ? PRODUCTION : [];
      const ports = ['--server.port=0', '--admin.port=0'];
      const argv = [...command.path, ...placeholders(command), '--json', ...ports, ...profile];
      const { code, stdout, stderr } = await folder.run(argv, { stdin: '', buildApp: async () => RUNNING });
      jsonLines(stdout);
      if (code === 0 || stdout !== '') return;
      const last = jsonLines(stderr.trim().split('\n').at(-1) ?? '')[0];
      expect(last, words).toMatchObject({ error: { code: expect.any(String), message: expect.any(String) } });
    },
  );

  it('applies to usage errors too', async () => {
    for (const argv of [['apps', 'frob'], ['apps', 'show'], ['keys', 'list', '--use', 'x'], ['frob']]) {
      const { code, stdout, stderr } = await folder.run([...argv, '--json']);
      expect([code, stdout]).toEqual([2, '']);
      expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'cli.usage', cure: expect.any(String) } });
    }
  });
});
