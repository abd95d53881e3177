import { randomBytes } from 'node:crypto';
import { generateDevelopmentKey } from '../../config/sources/development-key.ts';
import type { IssuerKeyRow } from '../../storage/index.ts';
import type { CredentialKeyOperator } from './key-operator.ts';
import { registerSeed, SEED_BYTES } from './register-seed.ts';

/**
 * Generates a credential key and seals its seed; the key is registered with the engine, but not yet stored. A
 * seed of the development profile carries the mark of generated keys, by which production recognizes it
 * wherever it was copied.
 *
 * @throws ServiceError as `registerSeed`
 */
export async function makeKey(operator: CredentialKeyOperator): Promise<IssuerKeyRow> {
  const { engine, sealer, issuerSchemaId, isDevelopment, now } = operator;
  const seed = isDevelopment ? Buffer.from(generateDevelopmentKey(), 'base64url') : randomBytes(SEED_BYTES);
  try {
    const sealedSeed = await sealer.seal(seed);
    const { keyId, x, y } = await registerSeed(engine, seed);
    const origin = isDevelopment ? 'development' : 'generated';
    const registeredAt = now();
    return {
      keyId,
      issuerSchemaId,
      x,
      y,
      status: 'active',
      origin,
      sealedSeed,
      registeredAt,
      retiredAt: null,
    };
  } finally {
    seed.fill(0);
  }
}
