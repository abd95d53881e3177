import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { assertCredential } from '../../bench/load/refresh/refresh-answers.ts';
import {
  BENCH_ORB,
  benchHolder,
  benchPackage,
  enrolments,
} from '../../bench/load/refresh/refresh-holders.ts';
import {
  headerMaker,
  refreshDraft,
  refreshRequests,
  writeRefresh,
} from '../../bench/load/refresh/refresh-requests.ts';
import { parseSub } from '../../src/refresh/request/parse-fields.ts';
import { parseForm } from '../../src/refresh/request/parse-form.ts';
import { toHex } from '../../src/semaphore/hex.ts';
import { trapdoorScalar } from '../support/crypto/trapdoor.ts';

const sha256 = (...parts: (string | Uint8Array)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

describe('holders of the refresh bench', () => {
  it('have distinct ids, subs and signups, and matching enrolments', () => {
    const rows = enrolments(5, 3, 1000);
    expect(rows.map(({ idComm }) => toHex(idComm))).toEqual(
      [5, 6, 7].map((k) => toHex(benchHolder(k).idComm)),
    );
    expect(new Set(rows.map(({ signupId }) => signupId)).size).toBe(3);
    expect(new Set([5, 6, 7].map((k) => toHex(benchHolder(k).sub))).size).toBe(3);
  });

  it('have packages whose manifest has the digests of their values and shares', () => {
    const { fields, manifest } = benchPackage(benchHolder(3));
    const members = JSON.parse(Buffer.from(manifest).toString()) as Record<string, string>;
    expect(fields.signup_id).toBe('bench_3');
    for (const name of ['signup_id', 'orb_id', 'signup_reason'])
      expect(members[name]).toBe(sha256(fields[name] as string, fields[`${name}_salt`] as string));
    for (const name of ['iris_code_shares_0', 'iris_code_shares_2']) {
      expect(String(fields[name])).toHaveLength(102_400);
      expect(members[`${name}.json`]).toBe(sha256(fields[name] as string));
    }
    expect(fields.orb_id).toBe(BENCH_ORB.orbId);
    expect(Buffer.from(benchPackage(benchHolder(4)).manifest).equals(manifest)).toBe(false);
  });
});

describe('requests of the refresh bench', () => {
  it('declare the length of their form, and its parts are parsed as written', async () => {
    const holder = benchHolder(9);
    const draft = refreshDraft(holder, 'with', await headerMaker(9));
    const request = Buffer.concat(writeRefresh(draft));
    const end = request.indexOf('\r\n\r\n');
    const [head, body] = [request.toString('latin1', 0, end), request.subarray(end + 4)];
    expect(head).toContain(`idComm=${toHex(holder.idComm)} `);
    expect(head).toContain(`Content-Length: ${body.length}`);
    const contentType = /Content-Type: (.*)/.exec(head)?.[1]?.trim() ?? '';
    const form = await parseForm(contentType, body);
    expect(toHex(parseSub(form))).toBe(toHex(holder.sub));
    for (const [name, value] of Object.entries(draft.parts))
      expect(Buffer.from(form.parts.get(name as 'sub') ?? []).equals(Buffer.from(value as string))).toBe(
        true,
      );
    expect(form.parts.size).toBe(20);
  });

  it('share the bytes of share texts, but no proof', async () => {
    const [one, other] = await refreshRequests('with', 20, 2);
    expect(one?.pieces.length).toBe(7);
    for (const piece of [1, 3, 5]) expect(one?.pieces[piece]).toBe(other?.pieces[piece]);
    const header = await headerMaker(20);
    const proofs = [benchHolder(1), benchHolder(1), benchHolder(2)].map(
      (holder) =>
        JSON.parse(Buffer.from(header(holder), 'base64').toString()) as Record<
          'proof' | 'nullifierHash',
          string
        >,
    );
    expect(new Set(proofs.map(({ proof }) => proof)).size).toBe(3);
    expect(new Set(proofs.map(({ nullifierHash }) => nullifierHash)).size).toBe(3);
  });
});

describe('answers to the refresh bench', () => {
  const answer = (body: object, status = 200) => ({ status, head: '', body: JSON.stringify(body) });

  it('are refused without a credential', () => {
    const refused = answer({ success: false, error: 'INVALID_PROOF', message: 'no' }, 401);
    expect(() => assertCredential(refused, benchHolder(0), 'without')).toThrow(/got 401/);
  });

  it('are refused with a credential of another holder', () => {
    const element = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`;
    const claims = Array.from({ length: 16 }, (_, index) => element(BigInt(index === 0)));
    const text =
      `{"id":1,"version":"V1","issuer_schema_id":1,"sub":"${element(trapdoorScalar('x'))}","genesis_issued_at":1,` +
      `"expires_at":2,"claims":${JSON.stringify(claims)},"associated_data_hash":"${element(0n)}",` +
      `"signature":"${'0'.repeat(128)}","issuer":{"pk":["0","1"]}}`;
    const body = answer({ success: true, credential: Buffer.from(text).toString('base64'), message: '' });
    expect(() => assertCredential(body, benchHolder(0), 'without')).toThrow(/another sub/);
    const own = text.replace(element(trapdoorScalar('x')), toHex(benchHolder(0).sub));
    const claim = answer({ success: true, credential: Buffer.from(own).toString('base64'), message: '' });
    expect(() => assertCredential(claim, benchHolder(0), 'without')).toThrow(/another claim/);
  });
});
