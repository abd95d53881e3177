import { isEqual } from '../../../bytes.ts';
import { ServiceError } from '../../../errors/service-error.ts';
import type { Driver } from '../../drivers/driver.ts';
import { checkedCredential } from '../../model/issued-credential.ts';
import type {
  BindingRow,
  Issuance,
  IssuanceLimit,
  IssuanceStore,
  IssuedCredentialRow,
} from '../../model/store-refresh.ts';
import { integerColumn } from '../../statements/columns.ts';
import { isEnrolled } from '../../statements/refresh/enrolments.ts';
import {
  bindingById,
  bindingsById,
  countIssued,
  insertBinding,
  insertIssued,
  issuedPage,
  issuedWith,
  lastInWindow,
  toBindingRow,
  toIssuedCredentialRow,
  withinIssuance,
} from '../../statements/refresh/issuance.ts';
import { guarded, type Step, settled } from '../../transaction.ts';
import type { Bytes32 } from '../../values.ts';

type Refusal = 'bound_otherwise' | 'limited' | 'no_enrolment' | 'id_taken';

/** Creates the store of bindings and issued credentials over a driver. */
export function createIssuanceStore(driver: Driver): IssuanceStore {
  const findBinding = async (issuerSchemaId: string, idComm: Bytes32): Promise<BindingRow | undefined> => {
    const [row] = await driver.read(bindingById(issuerSchemaId, idComm));
    return row === undefined ? undefined : toBindingRow(row);
  };
  const limitedUntil: IssuanceStore['limitedUntil'] = async (issuerSchemaId, idComm, limit, now) => {
    if (limit.credentials === 0) return undefined;
    const [row] = await driver.read(lastInWindow(issuerSchemaId, idComm, limit, now));
    return row === undefined ? undefined : integerColumn(row[0]) + limit.windowMs;
  };
  return {
    findBinding,
    limitedUntil,
    issue: async (row, limit) => {
      const credential = checkedCredential(row);
      const { issuerSchemaId, idComm, issuedAt } = credential;
      const outcome = await settled<Refusal | 'issued'>(driver, {
        write: () => guarded(driver, stepsOf(credential, limit), 'issued'),
        done: 'issued',
        own: issuedWith(credential),
      });
      // The details of a refusal are read after the rollback.
      if (outcome === 'bound_otherwise')
        return bindingRefusal(credential, await findBinding(issuerSchemaId, idComm));
      if (outcome !== 'limited') return { outcome };
      const retryAt = await limitedUntil(issuerSchemaId, idComm, limit, issuedAt);
      // Records do not expire, but an operator may have deleted those that filled the window.
      return { outcome, retryAt: retryAt ?? issuedAt };
    },
    bindingsOf: async (idComm) => (await driver.read(bindingsById(idComm))).map(toBindingRow),
    list: async (since, limit, after) =>
      (await driver.read(issuedPage(since, limit, after))).map(toIssuedCredentialRow),
  };
}

/** Builds the statements of the transaction (spec/refresh.md#issuance-transaction, bind to record). */
function stepsOf(credential: IssuedCredentialRow, limit: IssuanceLimit): Step<Refusal>[] {
  const counts: Step<Refusal>[] =
    limit.credentials === 0 ? [] : [[withinIssuance(credential, limit), 'limited']];
  return [
    [insertBinding(credential)],
    [countIssued(credential), 'bound_otherwise'],
    ...counts,
    [isEnrolled(credential.idComm), 'no_enrolment'],
    [insertIssued(credential), 'id_taken'],
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
