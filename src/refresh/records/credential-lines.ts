import { toHex } from '../../semaphore/index.ts';
import type { IssuanceStore, IssuedCredentialRow } from '../../storage/index.ts';
import { isoTime } from '../../text.ts';

const PAGE_ROWS = 1_000;

/**
 * Exports the records of issued credentials as JSON Lines, the oldest first; holds one page in memory.
 *
 * @param since - Time of the first records, in milliseconds since the epoch.
 * @returns Lines without line ends, with the members `id_comm`, `sub`, `issuer_schema_id` and `id` (u64 as
 *   JSON integers), `genesis_issued_at`, `issued_at`, `expires_at` (RFC 3339), `operator_id`,
 *   `encrypted_user_id`.
 */
export async function* credentialLines(
  store: Pick<IssuanceStore, 'list'>,
  since: number,
): AsyncGenerator<string> {
  let last: IssuedCredentialRow | undefined;
  do {
    const page = await store.list(since, PAGE_ROWS, last);
    for (const row of page) yield credentialLine(row);
    last = page.length === PAGE_ROWS ? page.at(-1) : undefined;
  } while (last);
}

function credentialLine(row: IssuedCredentialRow): string {
  // JSON.stringify would round the two u64 to doubles
  return [
    `{"id_comm":"${toHex(row.idComm)}"`,
    `"sub":"${toHex(row.sub)}"`,
    `"issuer_schema_id":${row.issuerSchemaId}`,
    `"id":${BigInt(toHex(row.credentialId))}`,
    `"genesis_issued_at":"${isoTime(row.genesisIssuedAt)}"`,
    `"issued_at":"${isoTime(row.issuedAt)}"`,
    `"expires_at":"${isoTime(row.expiresAt)}"`,
    `"operator_id":${JSON.stringify(row.operatorId)}`,
    `"encrypted_user_id":${JSON.stringify(row.encryptedUserId)}}`,
  ].join(',');
}
