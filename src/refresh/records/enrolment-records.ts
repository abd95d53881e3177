import { parseNonZeroElement } from '../../credential/index.ts';
import { ServiceError } from '../../errors/index.ts';
import type { BindingRow, Bytes32, EnrolmentRow, Store } from '../../storage/index.ts';

/** An enrolment with its bindings. */
export interface EnrolmentWithBindings {
  readonly enrolment: EnrolmentRow;
  /** One for each issuer schema that issued to this holder. */
  readonly bindings: readonly BindingRow[];
}

/**
 * Looks up the record of an idComm, with its bindings.
 *
 * @param idComm - As an operator enters it.
 * @throws ServiceError `signup.unknown`, also for a text that is not an idComm
 */
export async function findEnrolment(
  store: Pick<Store, 'enrolments' | 'issuance'>,
  idComm: string,
): Promise<EnrolmentWithBindings> {
  const key = keyOf(idComm);
  const enrolment = await store.enrolments.find(key);
  if (!enrolment) throw new ServiceError('signup.unknown');
  return { enrolment, bindings: await store.issuance.bindingsOf(key) };
}

/**
 * Sets the record of an idComm to revoked, so that its holder gets no more credentials.
 *
 * @param idComm - As an operator enters it.
 * @param now - Milliseconds since the epoch.
 * @throws ServiceError `signup.unknown`, also for a text that is not an idComm
 */
export async function revokeEnrolment(
  store: Pick<Store, 'enrolments'>,
  idComm: string,
  now: number,
): Promise<EnrolmentRow> {
  const row = await store.enrolments.revoke(keyOf(idComm), now);
  if (!row) throw new ServiceError('signup.unknown');
  return row;
}

function keyOf(idComm: string): Bytes32 {
  const key = parseNonZeroElement(idComm);
  if (!key) {
    throw new ServiceError(
      'signup.unknown',
      'invalid idComm: expected 0x and 1 to 64 hex digits of a number above 0 and below the scalar order r',
    );
  }
  return key;
}
