/**
 * Compares the records of issuance with the requests and answers of clients; reports lost, duplicate or wrong
 * ones.
 */
import { createHash } from 'node:crypto';
import { claimOfPackage, claimOfRefresh, credentialJson } from '../../../src/credential/credential.ts';
import { hashCredential } from '../../../src/credential/hash.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { expiryOf } from '../../../src/refresh/issue-credential.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import { numberOf } from '../../../src/semaphore/words.ts';
import type { IssuedCredentialRow } from '../../../src/storage/refresh/issued-credential.ts';
import type { IssuerKeyRow } from '../../../src/storage/refresh/issuer-keys.ts';
import type { Store } from '../../../src/storage/store.ts';
import type { SentRefresh } from './load.ts';

/** Expectations of the store. */
export interface AuditRules {
  /** Maximum number of credentials of a holder in a window longer than the test; 0 for no limit. */
  readonly limit: number;
  readonly windowSeconds: number;
  /** Identity commitments of all enrolments. */
  readonly enrolled: Iterable<Uint8Array>;
  /** Most that the clocks of the processes differ from each other and from that of the clients. */
  readonly clockSpreadMs?: number;
}

/** Outcome of an audit. */
export interface Audit {
  /** Number of answers with a credential. */
  readonly acknowledged: number;
  /** Number of requests whose connection ended before the answer. */
  readonly unanswered: number;
  /** Number of records whose credential was not delivered. */
  readonly lostAnswers: number;
  readonly records: number;
  readonly bindings: number;
  /** One sentence each. */
  readonly faults: readonly string[];
}

const ZERO = new Uint8Array(32);
const PAGE = 1000;

/** Reads every record and binding, and compares them with all requests that were sent. */
export async function auditIssuance(
  store: Store,
  engine: Engine,
  sent: readonly SentRefresh[],
  rules: AuditRules,
): Promise<Audit> {
  const faults: string[] = [];
  const rows = await allRecords(store);
  const schemas = new Set(rows.map(({ issuerSchemaId }) => issuerSchemaId));
  if (schemas.size > 1) faults.push(`${schemas.size} issuer schemas`);
  const keys = new Map((await store.issuerKeys.listAll()).map((key) => [key.keyId, key]));
  const rowsOf = groupBy(rows, ({ idComm }) => toHex(idComm));
  const sentOf = groupBy(sent, ({ holder }) => toHex(holder.idComm));
  for (const idComm of rowsOf.keys()) if (!sentOf.has(idComm)) faults.push('a record without a request');
  const documents = new Map<string, { readonly row: IssuedCredentialRow; readonly text: string }>();
  for (const row of rows) {
    const id = String(numberOf(row.credentialId));
    if (documents.has(id)) faults.push(`credential ${id}: two records`);
    const key = keys.get(row.keyId);
    if (key === undefined) faults.push(`credential ${id}: a key that is not in the store`);
    else documents.set(id, { row, text: textOf(row, key) });
    for (const fault of await faultsOfRecord(engine, row, sentOf.get(toHex(row.idComm)) ?? [])) {
      faults.push(`credential ${id}: ${fault}`);
    }
  }
  const seen = new Set<string>();
  let unanswered = 0;
  for (const [idComm, requests] of sentOf) {
    const records = rowsOf.get(idComm) ?? [];
    const cut = requests.filter(({ end }) => end === undefined).length;
    const credentials = requests.flatMap(({ end }) => end?.answer.credential ?? []);
    unanswered += cut;
    if (rules.limit > 0 && records.length > rules.limit) faults.push(`${records.length} records of a holder`);
    if (records.length > credentials.length + cut) {
      faults.push(
        `${records.length} records after ${credentials.length} credentials and ${cut} cut requests`,
      );
    }
    for (const request of requests) {
      const { end } = request;
      if (end === undefined) continue;
      const { answer } = end;
      if (answer.credential === undefined) faults.push(...faultsOfRefusal(request, records, rules));
      else {
        const id = /^\{"id":([0-9]+),/.exec(answer.credential)?.[1] ?? '';
        const found = documents.get(id);
        if (seen.has(id)) faults.push(`credential ${id}: delivered twice`);
        seen.add(id);
        if (found === undefined) faults.push(`credential ${id}: acknowledged and not recorded`);
        else if (found.text !== answer.credential) faults.push(`credential ${id}: its record differs`);
        else if (!isOfRequest(found.row, request, rules.clockSpreadMs))
          faults.push(`credential ${id}: of another request`);
      }
    }
  }
  let bindings = 0;
  for (const idComm of rules.enrolled) {
    const found = await store.issuance.bindingsOf(idComm);
    bindings += found.length;
    const records = rowsOf.get(toHex(idComm)) ?? [];
    faults.push(...faultsOfBinding(found, records));
  }
  const counts = await store.rowCounts();
  if (counts.sub_bindings !== bindings) faults.push('a binding without an enrolment');
  if (counts.issued_credentials !== rows.length) faults.push('a record that the export does not list');
  return {
    acknowledged: seen.size,
    unanswered,
    lostAnswers: rows.length - seen.size,
    records: rows.length,
    bindings,
    faults,
  };
}

async function allRecords(store: Store): Promise<IssuedCredentialRow[]> {
  const rows: IssuedCredentialRow[] = [];
  for (;;) {
    const page = await store.issuance.list(0, PAGE, rows.at(-1));
    rows.push(...page);
    if (page.length < PAGE) return rows;
  }
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

const fieldsOf = (row: IssuedCredentialRow) => ({
  id: numberOf(row.credentialId),
  issuerSchemaId: BigInt(row.issuerSchemaId),
  sub: row.sub,
  genesisIssuedAt: row.genesisIssuedAt / 1000,
  expiresAt: row.expiresAt / 1000,
  claims: [row.claim0],
  associatedDataHash: ZERO,
});

/** JSON of the credential as its holder received it, rebuilt from the record. */
function textOf(row: IssuedCredentialRow, { x, y }: IssuerKeyRow): string {
  return credentialJson(fieldsOf(row), row.signature, [String(numberOf(x)), String(numberOf(y))]);
}

async function faultsOfRecord(
  engine: Engine,
  row: IssuedCredentialRow,
  requests: readonly SentRefresh[],
): Promise<string[]> {
  const faults: string[] = [];
  const seconds = Math.floor(row.issuedAt / 1000);
  if (row.expiresAt !== expiryOf('P3Y', seconds) * 1000)
    faults.push('an expiry other than three years later');
  const hash = await hashCredential(engine, fieldsOf(row));
  if (Buffer.compare(hash, row.credentialHash) !== 0) faults.push('another hash');
  const key = Uint8Array.from(Buffer.from(row.keyId, 'hex'));
  if (!(await engine.verifySignature(key, row.credentialHash, row.signature))) {
    faults.push('an invalid signature');
  }
  const isPackage = row.claimSource === 'pcp';
  const custody = requests.find((request) => request.package !== undefined)?.package;
  if (isPackage && custody === undefined) return [...faults, 'a package that was not sent'];
  const claim = isPackage
    ? await claimOfPackage(engine, custody?.manifest ?? ZERO)
    : await claimOfRefresh(engine, row, seconds);
  if (Buffer.compare(claim, row.claim0) !== 0) faults.push('another claim');
  const manifestHash = isPackage
    ? createHash('sha256')
        .update(custody?.manifest ?? ZERO)
        .digest('hex')
    : '';
  if (Buffer.from(row.manifestSha256 ?? []).toString('hex') !== manifestHash) faults.push('another manifest');
  if (row.operatorId !== (isPackage ? custody?.operatorId : null)) faults.push('another operator');
  return faults;
}

function isOfRequest(
  row: IssuedCredentialRow,
  { holder, package: custody, sentAt, end }: SentRefresh,
  clockSpreadMs = 0,
): boolean {
  return (
    Buffer.compare(row.idComm, holder.idComm) === 0 &&
    Buffer.compare(row.sub, holder.sub) === 0 &&
    (row.claimSource === 'pcp') === (custody !== undefined) &&
    row.issuedAt >= sentAt - clockSpreadMs &&
    row.issuedAt <= (end?.at ?? 0) + clockSpreadMs
  );
}

/** Checks that a refusal was justified at its time. */
function faultsOfRefusal(
  { holder, end }: SentRefresh,
  records: readonly IssuedCredentialRow[],
  { limit, windowSeconds, clockSpreadMs = 0 }: AuditRules,
): string[] {
  if (end === undefined) return [];
  const { status, body, headers } = end.answer;
  const before = records.filter(({ issuedAt }) => issuedAt <= end.at + clockSpreadMs);
  if (status === 429 && body.error === 'RATE_LIMIT_EXCEEDED') {
    const retryAfter = Number(headers.get('retry-after'));
    const isRight = Number.isInteger(retryAfter) && retryAfter >= 1 && retryAfter <= windowSeconds;
    return limit > 0 && before.length >= limit && isRight
      ? []
      : [`429 after ${before.length} records, Retry-After ${headers.get('retry-after')}`];
  }
  if (status === 400 && body.error === 'SUB_MISMATCH') {
    const [bound] = before;
    return bound !== undefined && Buffer.compare(bound.sub, holder.sub) !== 0
      ? []
      : ['SUB_MISMATCH for a sub that no binding excludes'];
  }
  return [`${status} ${body.error}: ${body.message}`];
}

function faultsOfBinding(
  bindings: Awaited<ReturnType<Store['issuance']['bindingsOf']>>,
  records: readonly IssuedCredentialRow[],
): string[] {
  const [binding, ...others] = bindings;
  if (others.length > 0) return ['two bindings of one holder'];
  if (binding === undefined) return records.length === 0 ? [] : [`${records.length} records without binding`];
  if (records.length === 0) return ['a binding without a record'];
  const faults: string[] = [];
  if (binding.issuedCount !== records.length) {
    faults.push(`issued_count ${binding.issuedCount}, and ${records.length} records`);
  }
  const last = Math.max(...records.map(({ issuedAt }) => issuedAt));
  if (binding.lastIssuedAt !== last)
    faults.push(`last_issued_at is ${last - binding.lastIssuedAt} ms too early`);
  for (const row of records) {
    if (Buffer.compare(row.sub, binding.sub) !== 0) faults.push('a record with another sub than the binding');
    if (row.genesisIssuedAt !== binding.genesisIssuedAt) faults.push('a record with another genesis');
  }
  // not always the earliest record: the one that bound the holder, which is the first to commit
  const isOfFirst = ({ issuedAt }: IssuedCredentialRow): boolean =>
    Math.floor(issuedAt / 1000) * 1000 === binding.genesisIssuedAt;
  if (!records.some(isOfFirst)) faults.push('a genesis at which nothing was issued');
  return faults;
}
