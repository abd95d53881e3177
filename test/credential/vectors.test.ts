// Rules: spec/credential.md#credential-object
import { beforeAll, describe, expect, it } from 'vitest';
import { claimOfPackage, claimOfRefresh, credentialJson } from '../../src/credential/credential.ts';
import { hashCredential, verifyCredential } from '../../src/credential/hash.ts';
import { parseCredential } from '../../src/credential/parse.ts';
import { compressKey } from '../../src/credential/public-key.ts';
import { describeEngineInThread } from '../engine/support/describe-engine.ts';
import { bytes, CREDENTIALS, word, words } from '../engine/support/vectors.ts';
import { type CredentialRow, fieldsOf, VECTORS } from './support.ts';

const SAMPLE = VECTORS.credentials.at(-1) as Required<CredentialRow>;

/** Returns the signature of a row: as given, or R compressed followed by s in little-endian order. */
function signatureOf({ R, s, signature }: CredentialRow): Uint8Array | undefined {
  if (signature !== undefined) return bytes(signature);
  if (R === undefined || s === undefined) return undefined;
  const nonce = compressKey(word(R[0]), word(R[1])) as Uint8Array;
  return new Uint8Array(Buffer.concat([nonce, Uint8Array.from(word(s)).reverse()]));
}

describeEngineInThread('the credentials of the vectors', (engine) => {
  beforeAll(async () => {
    await engine().registerSigningKey('sample', bytes(SAMPLE.signing_key.seed));
  });

  it('have the hashes of the vectors', async () => {
    const hashes = await Promise.all(
      VECTORS.credentials.map((row) => hashCredential(engine(), fieldsOf(row))),
    );
    expect(hashes).toEqual(VECTORS.credentials.map(({ hash }) => word(hash)));
  });

  it('have signatures that are valid, and invalid when any field is changed', async () => {
    const signed = VECTORS.credentials.filter(({ R }) => R !== undefined);
    expect(signed).toHaveLength(2);
    for (const row of signed) {
      const [px, py] = row.public_key as [string, string];
      const signature = signatureOf(row) as Uint8Array;
      const read = parseCredential(credentialJson(fieldsOf(row), signature, [px, py]));
      expect(await verifyCredential(engine(), read)).toEqual({
        hash: word(row.hash),
        isSigned: true,
        key: compressKey(word(px), word(py)),
      });
      const { fields } = read;
      const changes: Partial<typeof fields>[] = [
        { id: fields.id + 1n },
        { issuerSchemaId: fields.issuerSchemaId + 1n },
        { sub: word('5') },
        { genesisIssuedAt: fields.genesisIssuedAt + 1n },
        { expiresAt: fields.expiresAt + 1n },
        ...Array.from({ length: 15 }, (_, at) => ({ claims: fields.claims.with(at, word('5')) })),
        { associatedDataHash: word('5') },
      ];
      for (const change of changes) {
        const changed = { ...read, fields: { ...fields, ...change } };
        expect([change, (await verifyCredential(engine(), changed)).isSigned]).toEqual([change, false]);
      }
    }
  });

  it('are reproduced byte for byte: signature, JSON, base64', async () => {
    const { signing_key, public_key } = SAMPLE;
    const key = compressKey(word(public_key[0]), word(public_key[1]));
    expect(key).toEqual(bytes(signing_key.public_key_compressed));
    const fields = fieldsOf(SAMPLE);
    const signature = await engine().signCredentialHash('sample', await hashCredential(engine(), fields));
    expect(signature).toEqual(bytes(SAMPLE.signature));
    const json = credentialJson(fields, signature, public_key);
    expect(json).toBe(SAMPLE.json);
    expect(Buffer.from(json).toString('base64')).toBe(SAMPLE.base64);
  });

  it('are read from JSON and from base64', async () => {
    for (const text of [SAMPLE.json, SAMPLE.base64]) {
      const read = parseCredential(text);
      expect(read.fields).toEqual(fieldsOf(SAMPLE));
      expect(read.pk).toEqual(SAMPLE.public_key);
      expect(await verifyCredential(engine(), read)).toMatchObject({ isSigned: true });
    }
  });

  it('have the claim of the package, computed over its bytes as received', async () => {
    const manifest = Buffer.from(VECTORS.package.hashes_json);
    expect(await claimOfPackage(engine(), manifest)).toEqual(word(VECTORS.package.claim));
    const reordered = JSON.stringify(
      Object.fromEntries(Object.entries(JSON.parse(VECTORS.package.hashes_json) as object).reverse()),
    );
    expect(reordered).toHaveLength(manifest.length);
    expect(await claimOfPackage(engine(), Buffer.from(reordered))).not.toEqual(word(VECTORS.package.claim));
    await expect(claimOfPackage(engine(), new Uint8Array(0))).rejects.toMatchObject({ code: 'hash.input' });
  });

  it('have the claim of a refresh without a package', async () => {
    const { id_comm, sub, unix_seconds, claim } = VECTORS.claim_without_package;
    const holder = { idComm: word(id_comm), sub: word(sub) };
    expect(await claimOfRefresh(engine(), holder, Number(unix_seconds))).toEqual(word(claim));
    expect(await claimOfRefresh(engine(), holder, Number(unix_seconds) + 1)).not.toEqual(word(claim));
    const exchanged = { idComm: holder.sub, sub: holder.idComm };
    expect(await claimOfRefresh(engine(), exchanged, Number(unix_seconds))).not.toEqual(word(claim));
  });

  it('have the subs that wallets compute', async () => {
    const separator = VECTORS.domain_separators.find(({ text }) => text === 'H_CS(id, r)')?.value ?? '';
    for (const { leaf_index, blinding_factor, sub } of VECTORS.sub) {
      const state = await engine().poseidon2(3, words([separator, leaf_index, blinding_factor]));
      expect(state.slice(32, 64)).toEqual(word(sub));
    }
  });
});

describe('public keys of credentials', () => {
  it('compress to the bytes of the vectors', () => {
    for (const { public_key, public_key_compressed } of CREDENTIALS.eddsa) {
      expect(compressKey(word(public_key[0]), word(public_key[1]))).toEqual(bytes(public_key_compressed));
    }
  });

  it('are undefined for coordinates that are not on the curve, even if their compressed bytes match a key', () => {
    const [x, y] = SAMPLE.public_key.map(word) as [Uint8Array, Uint8Array];
    const other = word(String(BigInt(SAMPLE.public_key[0]) + 1n));
    expect(compressKey(other, y)).toBeUndefined();
    expect(compressKey(y, x)).toBeUndefined();
    expect(compressKey(word('0'), word('0'))).toBeUndefined();
    expect(compressKey(word('0'), word('1'))).toEqual(bytes(`01${'00'.repeat(31)}`));
  });
});
