import type { SqlRow, Statement } from '../../drivers/driver.ts';
import type {
  BindingRow,
  ClaimSource,
  IssuanceLimit,
  IssuedCredentialRow,
} from '../../model/store-refresh.ts';
import type { Bytes32 } from '../../values.ts';
import {
  bytesColumn,
  integerColumn,
  optionalBytesColumn,
  optionalTextColumn,
  textColumn,
  wordColumn,
} from '../columns.ts';

const BINDING_COLUMNS = 'issuer_schema_id, id_comm, sub, genesis_issued_at, issued_count, last_issued_at';
const CREDENTIAL_COLUMNS =
  'issuer_schema_id, credential_id, id_comm, sub, genesis_issued_at, issued_at, expires_at, claim0, claim_source, hashes_json_sha256, operator_id, credential_hash, signature, key_id, encrypted_user_id';

/** Possible sources of claims[0]. */
export const CLAIM_SOURCES: readonly ClaimSource[] = ['pcp', 'refresh'];

/** Selects the binding of an identity. */
export function bindingById(issuerSchemaId: string, idComm: Bytes32): Statement {
  return {
    sql: `select ${BINDING_COLUMNS} from sub_bindings where issuer_schema_id = $1 and id_comm = $2`,
    params: [issuerSchemaId, idComm],
  };
}

/** Selects the bindings of an identity over all issuer schemas. */
export function bindingsById(idComm: Bytes32): Statement {
  return {
    sql: `select ${BINDING_COLUMNS} from sub_bindings where id_comm = $1 order by issuer_schema_id`,
    params: [idComm],
  };
}

/** Binds the holder of a credential if it is not bound; counts nothing. */
export function insertBinding(credential: IssuedCredentialRow): Statement {
  return {
    sql: `insert into sub_bindings (${BINDING_COLUMNS}) values ($1,$2,$3,$4,0,$5) on conflict (id_comm, issuer_schema_id) do nothing`,
    params: [
      credential.issuerSchemaId,
      credential.idComm,
      credential.sub,
      credential.genesisIssuedAt,
      credential.issuedAt,
    ],
  };
}

/** Counts a credential in its binding; a guard that returns no row if sub or genesis differ. */
export function countIssued(credential: IssuedCredentialRow): Statement {
  return {
    sql: 'update sub_bindings set issued_count = issued_count + 1, last_issued_at = case when last_issued_at < $5 then $5 else last_issued_at end where issuer_schema_id = $1 and id_comm = $2 and sub = $3 and genesis_issued_at = $4 returning 1',
    params: [
      credential.issuerSchemaId,
      credential.idComm,
      credential.sub,
      credential.genesisIssuedAt,
      credential.issuedAt,
    ],
    isGuard: true,
  };
}

/** A guard that returns no row if the window has as many credentials as the limit, at least 1, allows. */
export function withinIssuance(
  { issuerSchemaId, idComm, issuedAt }: IssuedCredentialRow,
  { credentials, windowMs }: IssuanceLimit,
): Statement {
  return {
    sql: 'select 1 where not exists (select 1 from issued_credentials where issuer_schema_id = $1 and id_comm = $2 and issued_at > $3 limit 1 offset $4)',
    params: [issuerSchemaId, idComm, issuedAt - windowMs, credentials - 1],
    isGuard: true,
  };
}

/** Selects `issued_at` of the credential that must leave the window first; no row if one more is allowed. */
export function lastInWindow(
  issuerSchemaId: string,
  idComm: Bytes32,
  { credentials, windowMs }: IssuanceLimit,
  now: number,
): Statement {
  return {
    sql: 'select issued_at from issued_credentials where issuer_schema_id = $1 and id_comm = $2 and issued_at > $3 order by issued_at desc limit 1 offset $4',
    params: [issuerSchemaId, idComm, now - windowMs, credentials - 1],
  };
}

/** Records a credential; a guard that returns no row if its id is taken. */
export function insertIssued(credential: IssuedCredentialRow): Statement {
  const userId = credential.encryptedUserId;
  return {
    sql: `insert into issued_credentials (${CREDENTIAL_COLUMNS}) values ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15) on conflict (credential_id, issuer_schema_id) do nothing returning 1`,
    params: [
      credential.issuerSchemaId,
      credential.credentialId,
      credential.idComm,
      credential.sub,
      credential.genesisIssuedAt,
      credential.issuedAt,
      credential.expiresAt,
      credential.claim0,
      credential.claimSource,
      credential.manifestSha256,
      credential.operatorId,
      credential.credentialHash,
      credential.signature,
      credential.keyId,
      userId === null ? null : Buffer.from(userId),
    ],
    isGuard: true,
  };
}

/** Selects one row if this very credential was recorded. */
export function issuedWith({ issuerSchemaId, credentialId, signature }: IssuedCredentialRow): Statement {
  return {
    sql: 'select 1 from issued_credentials where credential_id = $1 and issuer_schema_id = $2 and signature = $3',
    params: [credentialId, issuerSchemaId, signature],
  };
}

/** Selects a page of records issued at `since` or later, the oldest first, after the record `after`. */
export function issuedPage(since: number, limit: number, after: IssuedCredentialRow | undefined): Statement {
  const order = 'issued_at, issuer_schema_id, credential_id';
  const from = `select ${CREDENTIAL_COLUMNS} from issued_credentials where issued_at >= $1`;
  const end = `order by ${order} limit $2`;
  if (after === undefined) return { sql: `${from} ${end}`, params: [since, limit] };
  return {
    sql: `${from} and (${order}) > ($3,$4,$5) ${end}`,
    params: [since, limit, after.issuedAt, after.issuerSchemaId, after.credentialId],
  };
}

/** Parses a row of `bindingById` or `bindingsById`. */
export function toBindingRow(row: SqlRow): BindingRow {
  return {
    issuerSchemaId: textColumn(row[0]),
    idComm: bytesColumn(row[1]),
    sub: bytesColumn(row[2]),
    genesisIssuedAt: integerColumn(row[3]),
    issuedCount: integerColumn(row[4]),
    lastIssuedAt: integerColumn(row[5]),
  };
}

/** Parses a row of `issuedPage`. */
export function toIssuedCredentialRow(row: SqlRow): IssuedCredentialRow {
  const userId = optionalBytesColumn(row[14]);
  return {
    issuerSchemaId: textColumn(row[0]),
    credentialId: bytesColumn(row[1]),
    idComm: bytesColumn(row[2]),
    sub: bytesColumn(row[3]),
    genesisIssuedAt: integerColumn(row[4]),
    issuedAt: integerColumn(row[5]),
    expiresAt: integerColumn(row[6]),
    claim0: bytesColumn(row[7]),
    claimSource: wordColumn(CLAIM_SOURCES, row[8]),
    manifestSha256: optionalBytesColumn(row[9]),
    operatorId: optionalTextColumn(row[10]),
    credentialHash: bytesColumn(row[11]),
    signature: bytesColumn(row[12]),
    keyId: textColumn(row[13]),
    encryptedUserId: userId === null ? null : Buffer.from(userId).toString(),
  };
}
