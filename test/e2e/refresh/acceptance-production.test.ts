import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApp } from '../../../src/app/app.ts';
import { wordOf } from '../../../src/semaphore/words.ts';
import type { Store } from '../../../src/storage/store.ts';
import { type CliResult, runIn } from '../../cli/support/cli.ts';
import { RUNS_ALL } from '../../support/cases.ts';
import { portOf, sendDraft } from '../../support/refresh/draft.ts';
import { base64Json } from '../../support/refresh/holder.ts';
import { enrolHolders, registerOrbKey } from '../../support/refresh/service.ts';
import { REFRESH_VECTORS, VECTOR_HOLDER, vectorCall } from '../../support/refresh/vectors.ts';
import { environmentOf } from '../../support/server/environment-of.ts';
import { openMigratedStore } from '../../support/server/migrated-store.ts';
import { headerOf } from '../../support/server/raw-client.ts';
import { type ServerProcess, startServer } from '../../support/server/server-process.ts';
import { startApp } from '../../support/server/start-app.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import REFRESH_HEADER from '../../vectors/verify/refresh-header.json' with { type: 'json' };

const VECTOR_SEED = Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('hex');
const [GENUINE] = REFRESH_VECTORS.authentication_proofs;
const SUB = '0x1a2b3c';
const dataDir = temporaryFolder('refresh-production', afterAll);
let settings: Readonly<Record<string, string>>;
let env: Record<string, string>;

beforeAll(async () => {
  settings = {
    profile: 'production',
    'storage.url': `libsql:${join(dataDir, 'proofgate.db')}`,
    baseUrl: 'https://id.example',
    'admin.token': 'a-token-that-nobody-guesses-0123456789',
    'keys.masterKey': randomBytes(32).toString('base64url'),
    'server.host': '127.0.0.1',
    'shutdown.drainDelayMs': '0',
    'signin.enabled': 'false',
  };
  env = environmentOf({ ...settings, dataDir, 'server.port': '0', 'admin.port': '0' });
  expect((await run('migrate', 'up')).code).toBe(0);
});

/** Runs a command with the settings of this file and `more`; `serve` starts the service, unless it is refused. */
const run = (...argv: string[]): Promise<CliResult> => runWith({}, ...argv);
const runWith = (more: Readonly<Record<string, string>>, ...argv: string[]): Promise<CliResult> =>
  runIn(dataDir, argv, { env: { ...env, ...more }, buildApp, now: Date.now() });

describe('serve in profile production with credential refresh', () => {
  it('refuses to start without a signing key, and prints how to make one', async () => {
    const { code, stderr } = await run('serve');
    expect(code).toBe(78);
    expect(stderr).toContain('refresh.signingSeed (PROOFGATE_REFRESH_SIGNING_SEED): required');
    expect(stderr).toContain('keys rotate --use credential');
    expect(stderr).toContain('1 reason');
  });

  it('refuses a published seed and a forgeable verifying key in one run', async () => {
    for (const key of ['trapdoor-4', 'dev-depth30']) {
      const unsafe = {
        PROOFGATE_REFRESH_SIGNING_SEED: VECTOR_SEED,
        PROOFGATE_REFRESH_VERIFICATION_KEY: key,
      };
      const { code, stdout, stderr } = await runWith(unsafe, 'serve');
      expect(code).toBe(78);
      expect(stderr).toMatch(/refresh\.signingSeed .*published test vectors/);
      expect(stderr).toContain(`key ${key}, bound by refresh.verificationKey,`);
      expect(stdout + stderr).not.toContain(VECTOR_SEED);
    }
  });

  it('starts without a signing key when refresh is disabled, and answers that it is disabled', async () => {
    const app = await startApp({ dataDir, settings: { ...settings, 'refresh.enabled': 'false' } });
    const answer = await sendDraft(portOf(app.publicUrl), vectorCall());
    expect([answer.status, JSON.parse(answer.body.toString())]).toEqual([
      503,
      { success: false, message: 'Credential refresh is disabled' },
    ]);
    expect(await app.stop()).toBe(true);
  });

  if (RUNS_ALL) {
    it('starts with a configured seed, given as a file', async () => {
      const seed = join(dataDir, 'seed');
      writeFileSync(seed, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
      const server = await startServer(dataDir, { ...env, PROOFGATE_REFRESH_SIGNING_SEED_FILE: seed });
      const keys = await fetch(`${server.publicUrl}/api/v1/issuer-keys`);
      expect(await keys.json()).toMatchObject({ keys: [{ status: 'active' }] });
      expect((await server.end('SIGTERM')).code).toBe(0);
    });
  }
});

describe('refresh in profile production with a generated key and the ceremony key', () => {
  let server: ServerProcess;
  let store: Store;
  const holders = {
    genuine: { idComm: wordOf(BigInt(GENUINE?.id_commitment ?? 0)), sub: wordOf(BigInt(SUB)) },
    development: { idComm: wordOf(BigInt(REFRESH_HEADER.id_comm)), sub: wordOf(BigInt(REFRESH_HEADER.sub)) },
    trapdoor: VECTOR_HOLDER,
  };

  beforeAll(async () => {
    const rotated = await run('keys', 'rotate', '--use', 'credential', '--json');
    expect(rotated.code).toBe(0);
    server = await startServer(dataDir, env);
    store = await openMigratedStore({
      url: env.PROOFGATE_STORAGE_URL ?? '',
      groupMaxRows: 512,
      groupMaxDelayMs: 0,
    });
    const { signup_id: signupId = '', orb_id: orbId = '' } = REFRESH_VECTORS.package.form_fields;
    await enrolHolders(store, [holders.genuine, holders.development], Date.now());
    await enrolHolders(store, [holders.trapdoor], Date.now(), { signupId, orbId });
    await registerOrbKey(store, orbId, REFRESH_VECTORS.package.orb_public_key_pem, Date.now());
  });
  afterAll(async () => {
    await store?.close();
    expect((await server?.end('SIGTERM'))?.code).toBe(0);
  });

  /** Makes a request with the genuine proof and these members of its header. */
  function genuine(members: Readonly<Record<string, unknown>>, sub = SUB) {
    const idCommitment = GENUINE?.id_commitment;
    const [, nullifierHash] = GENUINE?.public_inputs ?? [];
    const externalNullifier = 'proofgate-refresh';
    const header = { proof: GENUINE?.proof, nullifierHash, externalNullifier, idCommitment, sub, ...members };
    return {
      query: `idComm=${idCommitment}`,
      headers: { 'x-zkp-proof': base64Json(header) },
      fields: { sub },
    };
  }

  it.each([
    ['the genuine proof, with the external nullifier of this service', () => genuine({})],
    [
      'the genuine proof, with its own external nullifier',
      () => genuine({ externalNullifier: `0x${GENUINE?.external_nullifier_preimage}` }),
    ],
    [
      'the genuine proof, with the bytes of its signal as sub',
      () => {
        const sub = `0x${GENUINE?.signal_preimage}`;
        return genuine({ externalNullifier: `0x${GENUINE?.external_nullifier_preimage}`, sub }, sub);
      },
    ],
    [
      'a proof under dev-depth30',
      () => ({
        query: `idComm=${REFRESH_HEADER.id_comm}`,
        headers: { 'x-zkp-proof': REFRESH_HEADER.header },
        fields: { sub: REFRESH_HEADER.sub },
      }),
    ],
    ['a proof under trapdoor-4', () => vectorCall()],
  ])('refuses %s', async (_name, call) => {
    const answer = await sendDraft(portOf(server.publicUrl), call());
    expect([answer.status, JSON.parse(answer.body.toString())]).toEqual([
      401,
      { success: false, error: 'INVALID_PROOF', message: 'The proof does not hold for this request' },
    ]);
    expect(headerOf(answer, 'www-authenticate')).toBe('ZkpProof realm="refresh"');
    expect(headerOf(answer, 'strict-transport-security')).toContain('max-age=');
  });

  it('binds and issues nothing for them, and logs no idComm, sub or proof', async () => {
    for (const { idComm } of Object.values(holders)) {
      expect(await store.issuance.bindingsOf(idComm)).toEqual([]);
    }
    expect(await store.issuance.list(0, 10)).toEqual([]);
    const refusals = (): string[] =>
      server
        .output()
        .split('\n')
        .filter((line) => line.includes('"refusal":"INVALID_PROOF"'));
    // request lines are logged some milliseconds after the answers
    await expect.poll(refusals).toHaveLength(5);
    const output = server.output();
    const proof = GENUINE?.proof ?? 'no proof';
    for (const secret of [GENUINE?.id_commitment, VECTOR_SEED, proof, proof.slice(2, 66)]) {
      expect(output).not.toContain(secret);
    }
  });
});
