import { isServiceError, type ServiceError } from '../../errors/index.ts';
import type { SigningKeyRow } from '../../storage/index.ts';
import type { OpenedKey } from './seal.ts';

/** Result of opening published keys as the service does when it starts. */
export interface OpenedKeys {
  /** One for each key that signs or will sign but cannot be opened. */
  readonly faults: readonly ServiceError[];
  /** Number of keys that only the former master key opens. */
  readonly former: number;
}

/**
 * Tries to open published keys. A retired key that cannot be opened is not a fault, since only its public
 * half is needed.
 *
 * @param open - Opens a row, or throws ServiceError `signing_key.cannot_open`.
 */
export async function tryOpenKeys(
  rows: readonly SigningKeyRow[],
  open: (row: SigningKeyRow) => Promise<Pick<OpenedKey, 'isUnderCurrentKey'>>,
): Promise<OpenedKeys> {
  const faults: ServiceError[] = [];
  let former = 0;
  for (const row of rows) {
    try {
      const { isUnderCurrentKey } = await open(row);
      if (row.isSealed && !isUnderCurrentKey) former++;
    } catch (error) {
      if (!isServiceError(error, 'signing_key.cannot_open')) throw error;
      if (row.state !== 'retired') faults.push(error);
    }
  }
  return { faults, former };
}
