import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { toHex } from '../../../src/semaphore/hex.ts';
import { makeCliFolder, NOW } from '../../cli/support/cli.ts';
import { describeBackend } from '../../engine/support/describe-engine.ts';
import { opened } from '../../support/opened.ts';
import type { RefreshCall } from '../../support/refresh/client.ts';
import { base64Json } from '../../support/refresh/holder.ts';
import {
  isSignedPlainly,
  plainClaim,
  type ReadCredential,
  readCredential,
} from '../../support/refresh/reader.ts';
import { startRefreshService } from '../../support/refresh/service.ts';
import {
  REFRESH_VECTORS,
  VECTOR_HOLDER,
  vectorCall,
  vectorEnrolmentLine,
  vectorOrbKeyLine,
} from '../../support/refresh/vectors.ts';

const run = promisify(execFile);
const ENV = { PROOFGATE_PROFILE: 'test' };
const { x_zkp_proof_header: REQUEST, package: PACKAGE } = REFRESH_VECTORS;
const SECONDS = BigInt(NOW / 1000);

function isInstalled(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

describeBackend('the complete request of the vectors, imported by the commands', (backend) => {
  const folder = opened(makeCliFolder, 'remove');
  const service = opened(
    () =>
      startRefreshService({
        settings: { 'engine.backend': backend, 'rateLimits.refreshPerIdComm': '0' },
        dataDir: folder.path,
        now: () => NOW,
      }),
    'end',
  );
  beforeAll(async () => {
    await writeFile(join(folder.path, 'signups.jsonl'), vectorEnrolmentLine());
    const signups = await folder.run(['signups', 'import', join(folder.path, 'signups.jsonl'), '--json'], {
      env: ENV,
    });
    expect([signups.code, JSON.parse(signups.stdout)]).toMatchObject([0, { added: 1, refused: 0 }]);
    const orbKeys = await folder.run(['orb-keys', 'import', '-', '--json'], {
      env: ENV,
      stdin: vectorOrbKeyLine(),
    });
    expect([orbKeys.code, JSON.parse(orbKeys.stdout)]).toMatchObject([0, { added: 1, refused: 0 }]);
  });

  async function issuedTo(call: RefreshCall): Promise<{ base64: string; credential: ReadCredential }> {
    const { status, body } = await service.client.send(call);
    expect([status, body.message]).toEqual([200, 'Credential refreshed successfully']);
    return { base64: body.credential ?? '', credential: readCredential(body.credential) };
  }

  /** Expects every field that is not random. */
  function expectVectors(credential: ReadCredential): void {
    const zero = `0x${'0'.repeat(64)}`;
    expect(credential).toMatchObject({
      issuerSchemaId: 1n,
      sub: toHex(VECTOR_HOLDER.sub),
      genesisIssuedAt: SECONDS,
      // three years by the calendar: 2026-06-01 to 2029-06-01, with the leap day of 2028
      expiresAt: SECONDS + 1096n * 86_400n,
      claims: [PACKAGE.claim, ...Array<string>(15).fill(zero)],
      associatedDataHash: zero,
    });
    expect(isSignedPlainly(credential)).toBe(true);
  }

  it('yields a credential that `credential verify` accepts as base64, as JSON, and with the listed key', async () => {
    const { base64, credential } = await issuedTo(vectorCall());
    expectVectors(credential);
    const file = join(folder.path, 'credential');
    for (const text of [base64, Buffer.from(base64, 'base64')]) {
      await writeFile(file, text);
      const verified = await folder.run(['credential', 'verify', file, '--json'], { env: ENV });
      expect([verified.code, verified.stderr, JSON.parse(verified.stdout)]).toMatchObject([
        0,
        '',
        { valid: true, signature: true, key: { standing: 'active' }, expired: false },
      ]);
    }
    const { keys } = (await (await service.client.get('/api/v1/issuer-keys')).json()) as {
      readonly keys: readonly { readonly pk: readonly string[] }[];
    };
    expect(keys.map(({ pk }) => pk)).toEqual([credential.pk]);
    const given = ['credential', 'verify', file, '--issuer-key', (keys[0]?.pk ?? []).join()];
    expect((await folder.run(given, { env: ENV })).code).toBe(0);
    const text = Buffer.from(base64, 'base64').toString();
    await writeFile(file, text.replace(`_at":${SECONDS},`, `_at":${SECONDS + 1n},`));
    expect((await folder.run(given, { env: ENV })).code).toBe(1);
  });

  it.each(PACKAGE.hashes_sign)('is accepted with the manifest signature with $form', async ({ der }) => {
    expectVectors((await issuedTo(vectorCall(der))).credential);
  });

  const curl = isInstalled('curl');
  it.skipIf(!curl)(`works with curl too${curl ? '' : ' (not run: curl is not installed)'}`, async () => {
    const manifest = join(folder.path, 'hashes.json');
    const signature = join(folder.path, 'hashes.sign');
    await writeFile(manifest, PACKAGE.hashes_json);
    await writeFile(signature, Buffer.from(PACKAGE.hashes_sign[0]?.der ?? '', 'hex'));
    const { stdout } = await run('curl', [
      '-sS',
      '--noproxy',
      '*',
      '-X',
      'POST',
      `${service.app.publicUrl}/api/v1/refresh?idComm=${REQUEST.query_id_comm}`,
      '-H',
      `x-zkp-proof: ${REQUEST.base64}`,
      '-F',
      `sub=${REQUEST.form_sub}`,
      ...Object.entries(PACKAGE.form_fields).flatMap(([name, value]) => ['-F', `${name}=${value}`]),
      '-F',
      `hashes.json=@${manifest}`,
      '-F',
      `hashes.sign=@${signature}`,
    ]);
    const answer = JSON.parse(stdout) as { readonly success: boolean; readonly credential: string };
    expect(answer.success).toBe(true);
    expectVectors(readCredential(answer.credential));
  });

  it('treats every spelling of idComm and sub in query, form and header as one holder', async () => {
    const bare = (text: string): string => text.slice(2).replace(/^0+/, '');
    const spellings = [
      (text: string) => `0x${bare(text)}`,
      (text: string) => `0x${bare(text).padStart(64, '0')}`,
      (text: string) => `0x${bare(text).toUpperCase()}`,
      (text: string) => `0x${bare(text).toUpperCase().padStart(64, '0')}`,
    ];
    const header = JSON.parse(Buffer.from(REQUEST.base64, 'base64').toString()) as Record<string, string>;
    const call = vectorCall();
    const ids = new Set<bigint>();
    for (const [index, spell] of spellings.entries()) {
      const other = spellings[(index + 1) % spellings.length] ?? spell;
      const { credential } = await issuedTo({
        query: `idComm=${spell(REQUEST.query_id_comm)}`,
        headers: {
          'x-zkp-proof': base64Json({
            ...header,
            idCommitment: other(header.idCommitment ?? ''),
            sub: other(header.sub ?? ''),
            nullifierHash: other(header.nullifierHash ?? ''),
            proof: `0x${(header.proof ?? '').slice(2).toUpperCase()}`,
          }),
        },
        fields: { ...call.fields, sub: spell(REQUEST.form_sub) },
      });
      expectVectors(credential);
      ids.add(credential.id);
    }
    expect(ids.size).toBe(spellings.length);
    const bindings = await service.store.issuance.bindingsOf(VECTOR_HOLDER.idComm);
    expect(bindings).toMatchObject([{ sub: VECTOR_HOLDER.sub }]);
  });

  it('yields a claim over idComm, sub and the second of issuance without a package', async () => {
    const call = vectorCall();
    const { credential } = await issuedTo({ ...call, fields: { sub: REQUEST.form_sub } });
    const second = Buffer.alloc(8);
    second.writeBigUInt64BE(SECONDS);
    const message = Buffer.concat([VECTOR_HOLDER.idComm, VECTOR_HOLDER.sub, second]);
    expect(credential.claims[0]).toBe(plainClaim(message));
    expect(isSignedPlainly(credential)).toBe(true);
  });
});
