import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyCredential } from '../../../src/credential/hash.ts';
import { parseCredential } from '../../../src/credential/parse.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import { numberOf, wordOf } from '../../../src/semaphore/words.ts';
import { startEngine } from '../../engine/support/describe-engine.ts';
import type { RefreshAnswer } from '../../support/refresh/client.ts';
import { scalarOf } from '../../support/refresh/holder.ts';
import { type RefreshService, startRefreshService } from '../../support/refresh/service.ts';
import { REFRESH_VECTORS, VECTOR_HOLDER, vectorCall } from '../../support/refresh/vectors.ts';

const { x_zkp_proof_header: request, package: custody, credentials } = REFRESH_VECTORS;
/** Issuance of the sample credential, in milliseconds since the epoch: its genesis. */
const NOW = 1_700_000_000_000;
const SEED = Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('hex');

/** Blanks the random parts of a credential: the id, and the signature over it. */
function withoutRandomParts(json: string | undefined): string | undefined {
  return json?.replace(/"id":\d+/, '"id":0').replace(/"signature":"[0-9a-f]{128}"/, '"signature":""');
}

describe('POST /api/v1/refresh with the request of the vectors', () => {
  let service: RefreshService;
  let engine: Engine;

  beforeAll(async () => {
    ({ engine } = await startEngine({ workers: 0 }));
    service = await startRefreshService({
      settings: {
        'refresh.signingSeed': SEED,
        'refresh.validity': 'PT94608000S',
        'rateLimits.refreshPerIdComm': '0',
      },
      now: () => NOW,
    });
    const { signup_id: signupId = '', orb_id: orbId = '' } = custody.form_fields;
    await service.enrol([VECTOR_HOLDER], { signupId, orbId });
    await service.addOrbKey(orbId, custody.orb_public_key_pem);
  });

  afterAll(async () => {
    await service.end();
    await engine.close();
  });

  /** Reads the credential of an answer and checks its signature as a wallet does. */
  async function credentialOf(answer: RefreshAnswer) {
    expect(answer.body).toEqual({
      success: true,
      credential: expect.any(String),
      message: 'Credential refreshed successfully',
    });
    expect(answer.status).toBe(200);
    const parsed = parseCredential(answer.body.credential ?? '');
    await expect(verifyCredential(engine, parsed)).resolves.toMatchObject({ isSigned: true });
    return parsed;
  }

  it('issues the sample credential except for its random id', async () => {
    const answer = await service.client.send(vectorCall());
    const { fields } = await credentialOf(answer);
    expect(toHex(fields.claims[0] ?? new Uint8Array())).toBe(custody.claim);
    expect(toHex(fields.sub)).toBe(request.form_sub);
    expect(fields.genesisIssuedAt).toBe(1_700_000_000n);
    const sample = credentials.find((row) => row.json?.includes(custody.claim))?.json;
    expect(withoutRandomParts(answer.credential)).toBe(withoutRandomParts(sample));
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('accepts each signature of the manifest, including those with a high s', async () => {
    for (const { der } of custody.hashes_sign) {
      await credentialOf(await service.client.send(vectorCall(der)));
    }
  });

  it('issues without a package, with a claim over the data of the refresh', async () => {
    const call = vectorCall();
    const answer = await service.client.send({ ...call, fields: { sub: request.form_sub } });
    const { fields } = await credentialOf(answer);
    const message = Buffer.concat([
      VECTOR_HOLDER.idComm,
      VECTOR_HOLDER.sub,
      wordOf(1_700_000_000n).subarray(24),
    ]);
    const claim = await engine.hashBytes('CLAIMS_HASH_V1', message);
    expect(toHex(fields.claims[0] ?? new Uint8Array())).toBe(toHex(claim));
  });

  it('reads short, padded and upper-case hex of idComm and sub as one holder', async () => {
    const holder = { idComm: wordOf(numberOf(scalarOf('short').subarray(0, 29))), sub: wordOf(0x1a2b3cn) };
    await service.enrol([holder]);
    const call = await service.client.call(holder);
    const idComm = toHex(holder.idComm).slice(2);
    const shortIdComm = idComm.replace(/^0+/, '');
    expect(shortIdComm.length).toBeLessThan(60);
    const spellings = [
      [shortIdComm, '0x1a2b3c'],
      [idComm, `0x${'1a2b3c'.padStart(64, '0')}`],
      [shortIdComm.toUpperCase(), '0x1A2B3C'],
      [idComm.toUpperCase(), `0x${'1A2B3C'.padStart(63, '0')}`],
    ] as const;
    for (const [query, sub] of spellings) {
      const answer = await service.client.send({ ...call, query: `idComm=0x${query}`, fields: { sub } });
      const { fields } = await credentialOf(answer);
      expect(toHex(fields.sub)).toBe(toHex(holder.sub));
    }
    await expect(service.store.issuance.bindingsOf(holder.idComm)).resolves.toMatchObject([
      { idComm: holder.idComm, sub: holder.sub, issuedCount: spellings.length },
    ]);
  });

  it('lists the key that signed', async () => {
    const answer = await service.client.get('/api/v1/issuer-keys');
    const pk = parseCredential((await service.client.send(vectorCall())).body.credential ?? '').pk;
    await expect(answer.json()).resolves.toEqual({ keys: [{ issuer_schema_id: 1, pk, status: 'active' }] });
  });
});
