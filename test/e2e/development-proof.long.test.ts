import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hashSignal } from '../../src/semaphore/hashes.ts';
import { toHex } from '../../src/semaphore/hex.ts';
import { runProcess } from '../cli/support/process.ts';
import { DEVELOPMENT_KEY_BYTES, refreshProof } from '../development/support/fixtures.ts';
import { startEngine } from '../engine/support/describe-engine.ts';
import { words } from '../engine/support/vectors.ts';
import {
  CIRCUIT_SKIP,
  developmentCircuit,
  linkDevelopmentCircuit,
} from '../support/crypto/development-circuit.ts';
import { type ServerProcess, startServer } from '../support/server/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { post } from '../verification/support/verify-client.ts';

const NEW = 'Proof verified successfully';
const REUSE = 'Proof verified successfully (nullifier reuse)';

interface Success {
  readonly success: boolean;
  readonly message: string;
  readonly nullifier: string;
  readonly created_at: string;
}

describe.skipIf(developmentCircuit === undefined)(
  `a newcomer who makes a person and a proof while the server runs${CIRCUIT_SKIP}`,
  () => {
    const dataDir = temporaryFolder('newcomer', afterAll);
    let server: ServerProcess;
    let app: { app_id: string; rp_id: string };
    let alice: { person: string };
    let first: Success;

    /** Runs a command in a separate process, which must exit by itself. */
    const command = async (...argv: string[]): Promise<string> => {
      const { code, stdout, stderr } = await runProcess(argv, { PROOFGATE_DATA_DIR: dataDir });
      if (code !== 0) throw new Error(`${argv.join(' ')}: exit code ${code}: ${stderr}`);
      return stdout;
    };
    const json = async <T>(...argv: string[]): Promise<T> =>
      JSON.parse(await command(...argv, '--json')) as T;
    /** Does what `dev prove … | curl -d @- …` does: sends the printed text to the server unchanged. */
    const proveAndPost = async (action: string, ...options: string[]): Promise<Success> => {
      const body = await command('dev', 'prove', '--app', app.app_id, '--action', action, ...options);
      // curl -d sends this type
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const reply = await post(server.publicUrl, app.rp_id, body, headers);
      expect(reply.status).toBe(200);
      return reply.body as unknown as Success;
    };

    beforeAll(async () => {
      await linkDevelopmentCircuit(dataDir);
      server = await startServer(dataDir, { PROOFGATE_PROFILE: 'development' });
      app = await json('apps', 'add', '--name', 'Newcomer');
      alice = await json('dev', 'person', 'create');
    });
    afterAll(async () => {
      await server?.end('SIGTERM');
    });

    it('accepts the first proof as new', async () => {
      first = await proveAndPost('vote');
      expect(first).toMatchObject({ success: true, message: NEW, environment: 'staging' });
    });

    it('reports a reuse with the same created_at for another proof of the same person and action', async () => {
      const again = await proveAndPost('vote', '--signal', 'changed my mind');
      expect(again).toMatchObject({
        success: true,
        message: REUSE,
        nullifier: first.nullifier,
        created_at: first.created_at,
      });
    });

    it('uses a new nullifier for another action', async () => {
      const other = await proveAndPost('another vote');
      expect(other).toMatchObject({ success: true, message: NEW });
      expect(other.nullifier).not.toBe(first.nullifier);
    });

    it('uses another nullifier for another person, and still recognises the first person', async () => {
      const bob = await json<{ person: string }>('dev', 'person', 'create');
      const other = await proveAndPost('vote', '--person', bob.person);
      expect(other).toMatchObject({ success: true, message: NEW });
      expect(other.nullifier).not.toBe(first.nullifier);
      const again = await proveAndPost('vote', '--person', alice.person);
      expect(again).toMatchObject({ message: REUSE, nullifier: first.nullifier });
    });

    it('accepts a proof against the tree device', async () => {
      const carol = await json<{ person: string }>(
        'dev',
        'person',
        'create',
        '--tree',
        'device',
        '--secret',
        'carol',
      );
      const device = await proveAndPost('vote', '--person', carol.person);
      expect(device).toMatchObject({
        success: true,
        message: NEW,
        results: [{ identifier: 'device', success: true }],
      });
    });

    it('makes a refresh header that decodes and whose proof holds under dev-depth30', async () => {
      const { id_comm, header } = await json<{ id_comm: string; header: string }>(
        'dev',
        'prove-refresh',
        '--sub',
        '0x1a2b3c',
      );
      const members = JSON.parse(Buffer.from(header, 'base64').toString()) as Record<string, string>;
      expect(members.idCommitment).toBe(id_comm);
      expect(members.externalNullifier).toBe('proofgate-refresh');
      const { engine } = await startEngine({ workers: 0 });
      onTestFinished(() => engine.close());
      await engine.registerKey('dev-depth30', DEVELOPMENT_KEY_BYTES);
      const inputs = words([
        '0x284ec2782ec38c616bee1820936acdebe9f4fe8ce734d71fe2902eeae8eb0e87',
        members.nullifierHash ?? '',
        toHex(hashSignal(Buffer.from('1a2b3c'.padStart(64, '0'), 'hex'))),
        '0x001ae505b917085a25e4cdd9d18a19d9e5a10b00613fc75ed032e8503306c5bc',
      ]);
      expect(await engine.verify('dev-depth30', refreshProof(header), inputs)).toEqual({ ok: true });
    });

    it('logs neither a proof nor a secret', () => {
      expect(server.output()).not.toContain(first.nullifier.slice(2));
      expect(server.output()).not.toContain('carol');
    });
  },
);
