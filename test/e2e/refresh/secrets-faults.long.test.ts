import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createByteSealer } from '../../../src/apps/secrets/master-key.ts';
import { opened } from '../../support/opened.ts';
import { portOf, sendDraft } from '../../support/refresh/draft.ts';
import { EXTERNAL_NULLIFIER } from '../../support/refresh/holder.ts';
import { runProofgate } from '../../support/server/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { IMPORTED, KEPT, openSecretsWorld, type Planted } from '../support/secrets-world.ts';
import { columnsHolding } from '../support/stored-columns.ts';

const NOTHING = { log: [], metrics: [], store: [] };
const WITHOUT_USER_ID = Object.keys(KEPT).filter((kind) => kind !== 'encrypted_user_id');

/** The searches for secrets keep this process busy for so long that the server ends a connection that waits. */
const ONCE = { headers: { connection: 'close' } };

describe('secrets of refreshes with a stored key, challenges and internal errors', {
  timeout: 240_000,
}, () => {
  const world = opened(
    () =>
      openSecretsWorld({
        PROOFGATE_REFRESH_CHALLENGE_REQUIRED: 'true',
        PROOFGATE_REFRESH_KEEP_ENCRYPTED_USER_ID: 'false',
        PROOFGATE_RATE_LIMITS_REFRESH_PROOF_ATTEMPTS_PER_MINUTE: '1000',
      }),
    'end',
  );

  /** Fetches a challenge, of which the store may contain the hash only. */
  async function fetchChallenge(): Promise<Buffer> {
    const answer = await fetch(`${world.server.publicUrl}/api/v1/challenge`, ONCE);
    expect(answer.status).toBe(200);
    const { challenge } = (await answer.json()) as { readonly challenge: string };
    const bytes = Buffer.from(challenge.slice(2), 'hex');
    for (const traces of [world.everything, world.unstored]) traces.note('challenge', bytes);
    return bytes;
  }

  /** Makes a request with a challenge; `stored` are the kinds that the store may contain. */
  async function plantFresh(stored: readonly string[], challenge?: Uint8Array): Promise<Planted> {
    const fresh = challenge ?? (await fetchChallenge());
    const preImage = Buffer.concat([Buffer.from(EXTERNAL_NULLIFIER), fresh]);
    const planted = await world.plant({ preImage }, stored);
    await world.enrol(planted);
    return planted;
  }

  it('include the seed of the stored key, which is stored sealed and found nowhere in the clear', async () => {
    const rows = await world.store.issuerKeys.listAll();
    expect(rows).toHaveLength(1);
    const sealed = rows[0]?.sealedSeed ?? '';
    const opened = await createByteSealer(world.masterKey).open(sealed);
    expect(opened?.bytes).toHaveLength(32);
    for (const traces of [world.everything, world.unstored]) {
      traces.note('seed', opened?.bytes ?? '');
      // every JWE has the same header
      if (traces === world.everything) traces.note('sealed seed', sealed.slice(-40));
    }
    const planted = await plantFresh(WITHOUT_USER_ID);
    expect((await world.send(planted.finish(planted.draft))).status).toBe(200);
    expect(await world.leaks()).toEqual(NOTHING);
    const document = await (await fetch(`${world.server.publicUrl}/api/v1/issuer-keys`, ONCE)).text();
    expect(world.everything.in(document)).toEqual([]);
  });

  it('include the user id, which is not stored if disabled, while all else is in its column', async () => {
    const planted = await plantFresh(WITHOUT_USER_ID);
    expect((await world.send(planted.finish(planted.draft))).status).toBe(200);
    const { encrypted_user_id: _, ...kept } = KEPT;
    expect(columnsHolding(world.database, planted.own)).toEqual(kept);
    expect(await world.leaks()).toEqual(NOTHING);
  });

  it('include a challenge, which is stored as a hash until it is used and then deleted', async () => {
    const challenge = await fetchChallenge();
    const hash = createHash('sha256').update(challenge).digest();
    const hashes = (): Buffer[] =>
      (world.database.prepare('select challenge_hash from refresh_challenges').all() as Hashed[]).map((row) =>
        Buffer.from(row.challenge_hash),
      );
    expect(hashes()).toContainEqual(hash);
    const planted = await plantFresh(WITHOUT_USER_ID, challenge);
    const draft = planted.finish(planted.draft);
    const answers = [await world.send(draft), await world.send(draft)];
    expect(answers.map(({ status }) => status)).toEqual([200, 401]);
    expect(hashes()).not.toContainEqual(hash);
    const unknown = await plantFresh(IMPORTED, randomBytes(32));
    const refused = await world.send(unknown.finish(unknown.draft));
    expect([refused.status, unknown.own.in(refused.body)]).toEqual([401, []]);
    expect(await world.leaks()).toEqual(NOTHING);
  });

  it.each([
    'signup',
    'orb_keys',
    'sub_bindings',
    'issued_credentials',
    'issuer_keys',
    'refresh_attempts',
    'refresh_challenges',
    'service_switches',
  ])('are not in answers, log, metrics or store when the table %s is missing', async (table) => {
    const planted = await plantFresh(IMPORTED);
    const draft = planted.finish(planted.draft);
    const before = world.server.output().length;
    world.database.exec(`alter table ${table} rename to ${table}_away`);
    const answer = await world.send(draft);
    world.database.exec(`alter table ${table}_away rename to ${table}`);
    expect(answer.status).toBeGreaterThanOrEqual(500);
    expect(planted.own.in(`${JSON.stringify(answer.headers)}\n${answer.body}`)).toEqual([]);
    const logged = world.server.output().slice(before);
    expect(logged).toContain('"level":"error"');
    expect(logged).toContain(table);
    expect(await world.leaks()).toEqual(NOTHING);
  });

  it('are not in answers, log, metrics or store when workers die under load', async () => {
    const requests = await Promise.all(Array.from({ length: 24 }, () => plantFresh(WITHOUT_USER_ID)));
    const drafts = requests.map((planted) => planted.finish(planted.draft));
    let answered = 0;
    const port = portOf(world.server.publicUrl);
    const sent = drafts.map(async (draft) => {
      const answer = await sendDraft(port, draft);
      answered += 1;
      if (answered % 6 === 1) world.server.child.kill('SIGUSR2');
      return answer;
    });
    world.server.child.kill('SIGUSR2');
    for (const [index, answer] of (await Promise.all(sent)).entries()) {
      expect([200, 503]).toContain(answer.status);
      if (answer.status !== 200) expect(requests[index]?.own.in(answer.body)).toEqual([]);
    }
    // the last worker may still be on its way back when the last answer comes
    const restarts = async (): Promise<number> => {
      const metrics = await (await fetch(`${world.server.adminUrl}/metrics`)).text();
      return Number(/^proofgate_engine_worker_restarts_total\S* (\d+)/m.exec(metrics)?.[1]);
    };
    await expect.poll(restarts).toBeGreaterThan(0);
    expect(await world.leaks()).toEqual(NOTHING);
  });

  it('include a malformed seed, which the refusal of the configuration does not print', async () => {
    const dataDir = temporaryFolder('bad-seed', onTestFinished);
    const seed = randomBytes(32).toString('hex');
    const { code, output } = await runProofgate(['serve', '--json'], {
      PROOFGATE_PROFILE: 'test',
      PROOFGATE_DATA_DIR: dataDir,
      PROOFGATE_SERVER_PORT: '0',
      PROOFGATE_ADMIN_PORT: '0',
      PROOFGATE_REFRESH_SIGNING_SEED: `${seed}ab`,
    });
    world.everything.note('malformed seed', Buffer.from(seed, 'hex'));
    expect([code, world.everything.in(output)]).toEqual([78, []]);
    expect(output).toContain('refresh.signingSeed');
  });
});

interface Hashed {
  readonly challenge_hash: ArrayBuffer;
}
