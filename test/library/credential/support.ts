/** `verifyCredential` over each backend that runs here, and credentials to check. */
import { describe, it } from 'vitest';
import {
  type PlainSigningKey,
  plainSign,
  plainSigningKey,
} from '../../../bench/contenders/eddsa-poseidon2.ts';
import { credentialJson, type SignedFields } from '../../../src/credential/credential.ts';
import { chooseBackend } from '../../../src/engine/backends/choose-backend.ts';
import { credentialVerifier } from '../../../src/library/credential/verify-credential.ts';
import type { VerifyCredential } from '../../../src/library/credential.ts';
import { type CredentialRow, fieldsOf, plainHash, VECTORS } from '../../credential/support.ts';
import { bytes } from '../../engine/support/vectors.ts';

/** The complete credential of the vectors. */
export const SAMPLE = VECTORS.credentials.at(-1) as Required<CredentialRow>;
/** The key that signed it. */
export const KEY: PlainSigningKey = plainSigningKey(bytes(SAMPLE.signing_key.seed));
/** A second before the sample expires. */
export const NOW: Date = new Date(1_794_607_999_000);
/** Its key as a list of keys. */
export const KEYS: string = keyList({});

/** Writes a list of keys as the service does; the key of the sample, with changes. */
export function keyList(
  ...changes: readonly { pk?: readonly string[]; schema?: string; status?: string }[]
): string {
  const keys = changes.map(
    ({ pk = SAMPLE.public_key, schema = '1', status = 'active' }) =>
      `{"issuer_schema_id":${schema},"pk":${JSON.stringify(pk)},"status":"${status}"}`,
  );
  return `{"keys":[${keys.join(',')}]}`;
}

/** Signs the sample with other fields, by other code. */
export function signed(changes: Partial<SignedFields>, key: PlainSigningKey = KEY): string {
  const fields = { ...fieldsOf(SAMPLE), ...changes };
  return credentialJson(fields, plainSign(key, plainHash(fields)), pkOf(key));
}

/** Returns the public key as a credential names it. */
export function pkOf({
  publicKey: [x, y],
}: Pick<PlainSigningKey, 'publicKey'>): readonly [x: string, y: string] {
  return [String(x), String(y)];
}

const CHOICES = ['native', 'wasm-relaxed', 'wasm-simd', 'wasm-scalar'] as const;

/** Runs a suite on each backend; an absent one is reported as skipped, by name. */
export async function describeVerifier(
  title: string,
  suite: (verifyCredential: VerifyCredential) => void,
): Promise<void> {
  for (const choice of CHOICES) {
    const found = await chooseBackend(choice).catch((error: Error) => error.message);
    if (typeof found === 'string') {
      describe(`${title}, ${choice}`, () => it.skip(`not run: ${found}`, () => undefined));
    } else {
      const { functions } = found.loaded;
      describe(`${title}, ${choice}`, () => suite(credentialVerifier(async (step) => step(functions))));
    }
  }
}
