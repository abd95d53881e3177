import { isEqual } from '../../bytes.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { bytes, columns, integer, type RowOf, text } from '../columns.ts';
import type { Driver } from '../drivers/driver.ts';
import { guard, point, write } from '../sql.ts';
import { guarded, type Step, settled } from '../transaction.ts';
import type { Bytes32 } from '../values.ts';
import { isEnrolled } from './enrolments.ts';
import { CREDENTIAL, checkedCredential, type IssuedCredentialRow } from './issued-credential.ts';

const BINDING = columns({
  /** A u64 in decimal. */
  issuerSchemaId: text,
  idComm: bytes,
  sub: bytes,
  /** Whole seconds × 1000. */
  genesisIssuedAt: integer,
  issuedCount: integer,
  lastIssuedAt: integer,
});
/** The `sub` that an idComm is permanently bound to. Times are milliseconds since the epoch. */
export type BindingRow = RowOf<typeof BINDING>;

/** Limit of credentials per holder. */
export interface IssuanceLimit {
  /** 0 means no limit. */
  readonly credentials: number;
  readonly windowMs: number;
}

/** Outcome of an issuance; only `issued` has written anything. */
export type Issuance =
  | { readonly outcome: 'issued' }
  | { readonly outcome: 'sub_mismatch' }
  /** The binding has another genesis: sign again with this one, in milliseconds since the epoch. */
  | { readonly outcome: 'other_genesis'; readonly genesisIssuedAt: number }
  | {
      readonly outcome: 'limited';
      /** Time at which one more is allowed, in milliseconds since the epoch. */
      readonly retryAt: number;
    }
  | { readonly outcome: 'no_enrolment' }
  | { readonly outcome: 'id_taken' };

const bindingById = point(
  BINDING,
  `select ${BINDING.list()} from sub_bindings where issuer_schema_id = $1 and id_comm = $2`,
);
const bindingsOf = point(
  BINDING,
  `select ${BINDING.list()} from sub_bindings where id_comm = $1 order by issuer_schema_id`,
);
/** Binds the holder of a credential if it is not bound; counts nothing. */
const insertBinding = write(
  `insert into sub_bindings (${BINDING.list()}) values (${BINDING.slots()}) on conflict (id_comm, issuer_schema_id) do nothing`,
);
/** Counts a credential in its binding; fails if sub or genesis differ. */
const countIssued = guard(
  'update sub_bindings set issued_count = issued_count + 1, last_issued_at = case when last_issued_at < $5 then $5 else last_issued_at end where issuer_schema_id = $1 and id_comm = $2 and sub = $3 and genesis_issued_at = $4 returning 1',
);
const IN_WINDOW = 'from issued_credentials where issuer_schema_id = $1 and id_comm = $2 and issued_at > $3';
/** Fails if the window has as many credentials as the limit, at least 1, allows. */
const hasRoomInWindow = guard(`select 1 where not exists (select 1 ${IN_WINDOW} limit 1 offset $4)`);
const ISSUED_AT = columns({ issuedAt: integer });
/** Selects the credential that must leave the window first; no row if one more is allowed. */
const lastInWindow = point(
  ISSUED_AT,
  `select ${ISSUED_AT.list()} ${IN_WINDOW} order by issued_at desc limit 1 offset $4`,
);
/** Fails if the id of the credential is taken. */
const insertIssued = guard(
  `insert into issued_credentials (${CREDENTIAL.list()}) values (${CREDENTIAL.slots()}) on conflict (credential_id, issuer_schema_id) do nothing returning 1`,
);
/** Fails unless this very credential was recorded. */
const issuedWith = guard(
  'select 1 from issued_credentials where credential_id = $1 and issuer_schema_id = $2 and signature = $3',
);
const PAGE_ORDER = 'issued_at, issuer_schema_id, credential_id';
const firstPage = point(CREDENTIAL, pageOf(''));
const pageAfter = point(CREDENTIAL, pageOf(`and (${PAGE_ORDER}) > ($3,$4,$5) `));

function pageOf(place: string): string {
  return `select ${CREDENTIAL.list()} from issued_credentials where issued_at >= $1 ${place}order by ${PAGE_ORDER} limit $2`;
}

type Refusal = 'bound_otherwise' | 'limited' | 'no_enrolment' | 'id_taken';

/**
 * Bindings and issued credentials (spec/refresh.md#issuance). Neither is ever changed, except the counts of a
 * binding.
 */
export type IssuanceStore = ReturnType<typeof createIssuanceStore>;

/** Creates the store of bindings and issued credentials over a driver. */
export function createIssuanceStore(driver: Driver) {
  const findBinding = async (issuerSchemaId: string, idComm: Bytes32): Promise<BindingRow | undefined> =>
    (await driver.read(bindingById(issuerSchemaId, idComm)))[0];
  const limitedUntil = async (
    issuerSchemaId: string,
    idComm: Bytes32,
    { credentials, windowMs }: IssuanceLimit,
    now: number,
  ): Promise<number | undefined> => {
    if (credentials === 0) return undefined;
    const last = lastInWindow(issuerSchemaId, idComm, now - windowMs, credentials - 1);
    const [row] = await driver.read(last);
    return row && row.issuedAt + windowMs;
  };
  return {
    findBinding: (issuerSchemaId: string, idComm: Bytes32): Promise<BindingRow | undefined> =>
      findBinding(issuerSchemaId, idComm),
    /**
     * Returns when one more credential is allowed, in milliseconds since the epoch, or undefined if it is
     * allowed at `now`. Does not count one. Records with `issuedAt` > `now` − `windowMs` count.
     */
    limitedUntil: (
      issuerSchemaId: string,
      idComm: Bytes32,
      limit: IssuanceLimit,
      now: number,
    ): Promise<number | undefined> => limitedUntil(issuerSchemaId, idComm, limit, now),
    /**
     * Binds, counts and records a credential in one transaction, by the six steps of
     * spec/refresh.md#issuance-transaction. Resolves after the commit. The limit is exact with any number of
     * concurrent callers and processes.
     */
    async issue(row: IssuedCredentialRow, limit: IssuanceLimit): Promise<Issuance> {
      const credential = checkedCredential(row);
      const { issuerSchemaId, idComm, issuedAt, credentialId, signature } = credential;
      const outcome = await settled<Refusal | 'issued'>(driver, {
        write: () => guarded(driver, stepsOf(credential, limit), 'issued'),
        done: 'issued',
        own: issuedWith(credentialId, issuerSchemaId, signature),
      });
      // The details of a refusal are read after the rollback.
      if (outcome === 'bound_otherwise')
        return bindingRefusal(credential, await findBinding(issuerSchemaId, idComm));
      if (outcome !== 'limited') return { outcome };
      const retryAt = await limitedUntil(issuerSchemaId, idComm, limit, issuedAt);
      // Records do not expire, but an operator may have deleted those that filled the window.
      return { outcome, retryAt: retryAt ?? issuedAt };
    },
    /** Lists the bindings of a holder, with their counts, over all issuer schemas. */
    bindingsOf: (idComm: Bytes32): Promise<BindingRow[]> => driver.read(bindingsOf(idComm)),
    /**
     * Lists records with `issuedAt` ≥ `since`, the oldest first, one page per call.
     *
     * @param after - The last row of the previous page.
     */
    list: (since: number, limit: number, after?: IssuedCredentialRow): Promise<IssuedCredentialRow[]> =>
      driver.read(
        after === undefined
          ? firstPage(since, limit)
          : pageAfter(since, limit, after.issuedAt, after.issuerSchemaId, after.credentialId),
      ),
  };
}

/** Builds the statements of the transaction (spec/refresh.md#issuance-transaction, bind to record). */
function stepsOf(credential: IssuedCredentialRow, { credentials, windowMs }: IssuanceLimit): Step<Refusal>[] {
  const { issuerSchemaId, idComm, sub, genesisIssuedAt, issuedAt } = credential;
  const binding = { issuerSchemaId, idComm, sub, genesisIssuedAt, issuedCount: 0, lastIssuedAt: issuedAt };
  const hasRoom = hasRoomInWindow(issuerSchemaId, idComm, issuedAt - windowMs, credentials - 1);
  const counts: Step<Refusal>[] = credentials === 0 ? [] : [[hasRoom, 'limited']];
  return [
    [insertBinding(...BINDING.values(binding))],
    [countIssued(issuerSchemaId, idComm, sub, genesisIssuedAt, issuedAt), 'bound_otherwise'],
    ...counts,
    [isEnrolled(idComm), 'no_enrolment'],
    [insertIssued(...CREDENTIAL.values(credential)), 'id_taken'],
  ];
}

function bindingRefusal(
  { sub, genesisIssuedAt }: IssuedCredentialRow,
  binding: BindingRow | undefined,
): Issuance {
  if (binding === undefined)
    throw new ServiceError('store.failed', 'a binding was neither written nor found');
  if (!isEqual(binding.sub, sub)) return { outcome: 'sub_mismatch' };
  if (binding.genesisIssuedAt === genesisIssuedAt) {
    throw new ServiceError('store.failed', 'a binding was found but not counted');
  }
  return { outcome: 'other_genesis', genesisIssuedAt: binding.genesisIssuedAt };
}
