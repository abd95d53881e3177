import { parseNonZeroElement } from '../../credential/index.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Bytes32 } from '../../storage/index.ts';

const NAME = 'idComm';

/**
 * Reads the query parameter `idComm`, which must be present once (spec/refresh.md#order-of-checks, id-comm).
 * Others are ignored, even if malformed.
 *
 * @param query - Raw query without `?`; names and values are percent-decoded once, `+` is a space.
 * @returns 32 bytes, big-endian, above 0 and below the scalar order r.
 * @throws ServiceError `refresh.id_comm_invalid`
 */
export function parseIdComm(query: string): Bytes32 {
  const values = query.split('&').flatMap((pair) => {
    const equals = pair.indexOf('=');
    const name = equals === -1 ? pair : pair.slice(0, equals);
    return decodeOnce(name) === NAME ? [equals === -1 ? '' : pair.slice(equals + 1)] : [];
  });
  const [value] = values;
  if (value === undefined) throw new ServiceError('refresh.id_comm_invalid', 'idComm is missing');
  if (values.length > 1) {
    throw new ServiceError('refresh.id_comm_invalid', 'idComm: expected it once, got it more often');
  }
  const idComm = parseNonZeroElement(decodeOnce(value) ?? '');
  if (idComm !== undefined) return idComm;
  throw new ServiceError(
    'refresh.id_comm_invalid',
    'idComm: expected 0x and 1 to 64 hex digits, above 0 and below the scalar order',
  );
}

/** Decodes an escaped text once; returns undefined for a broken escape, or bytes that are not UTF-8. */
function decodeOnce(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
