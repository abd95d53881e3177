import { isEqual } from '../../bytes.ts';
import { ServiceError } from '../../errors/index.ts';
import type { IssuerKeyRow } from '../../storage/index.ts';
import type { CredentialKeyOperator } from './key-operator.ts';
import { type RegisteredKey, registerSeed, SEED_BYTES } from './register-seed.ts';

/** Row of a key whose seed is in the store. */
export type SealedKeyRow = IssuerKeyRow & { readonly sealedSeed: string };

/** Whether the store has the seed of a key, which is not so for a configured or revoked key. */
export function isSealed(row: IssuerKeyRow | undefined): row is SealedKeyRow {
  return row !== undefined && row.sealedSeed !== null;
}

/**
 * Opens the seed of a key and registers it with the engine.
 *
 * @throws ServiceError `issuer_key.cannot_open`, and as `registerSeed`
 */
export async function openKey(
  row: SealedKeyRow,
  { sealer, engine }: Pick<CredentialKeyOperator, 'sealer' | 'engine'>,
): Promise<RegisteredKey> {
  const opened = await sealer.open(row.sealedSeed);
  if (opened === undefined) throw cannotOpen(row, 'its seed is sealed under another master key');
  try {
    if (opened.bytes.length !== SEED_BYTES) throw cannotOpen(row, 'its sealed content is not a seed');
    const key = await registerSeed(engine, opened.bytes);
    checkRow(row, key);
    return key;
  } finally {
    opened.bytes.fill(0);
  }
}

/**
 * Refuses a row whose public key is not that of its seed: credentials would name a key that did not sign
 * them.
 *
 * @throws ServiceError `issuer_key.cannot_open`
 */
export function checkRow(row: IssuerKeyRow, key: RegisteredKey): void {
  const isSame = key.keyId === row.keyId && isEqual(key.x, row.x) && isEqual(key.y, row.y);
  if (!isSame) throw cannotOpen(row, 'its public key is not that of its seed');
}

function cannotOpen({ keyId }: IssuerKeyRow, reason: string): ServiceError {
  return new ServiceError('issuer_key.cannot_open', `credential key ${keyId}: ${reason}`);
}
