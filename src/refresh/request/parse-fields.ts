import { decodeUtf8 } from '../../bytes.ts';
import { parseNonZeroElement } from '../../credential/credential.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Bytes32 } from '../../storage/values.ts';
import { malformed } from './frame-body.ts';
import type { RefreshForm } from './parse-form.ts';

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

// `0x` and 64 digits
const MAX_SUB_BYTES = 66;

/**
 * Reads `sub` (spec/refresh.md#order-of-checks, sub), byte for byte, without trimming.
 *
 * @returns 32 bytes, big-endian, above 0 and below the scalar order r.
 * @throws ServiceError `refresh.sub_invalid`
 */
export function parseSub(form: RefreshForm): Bytes32 {
  const bytes = form.parts.get('sub');
  if (bytes === undefined) throw new ServiceError('refresh.sub_invalid', 'sub is missing');
  // Latin-1 maps each byte to one character, so no other bytes can turn into ASCII digits.
  const text = Buffer.from(bytes.subarray(0, MAX_SUB_BYTES + 1)).toString('latin1');
  const sub = parseNonZeroElement(text);
  if (sub !== undefined) return sub;
  throw new ServiceError(
    'refresh.sub_invalid',
    'sub: expected 0x and 1 to 64 hex digits, above 0 and below the scalar order',
  );
}

const MAX_USER_ID_BYTES = 4096;

/**
 * Reads the optional text `encrypted_user_id`, as part of the check of the form
 * (spec/refresh.md#order-of-checks, form).
 *
 * @throws ServiceError `refresh.user_id_too_long`, `refresh.malformed_body` if it is not UTF-8
 */
export function encryptedUserId(form: RefreshForm): string | undefined {
  const bytes = form.parts.get('encrypted_user_id');
  if (bytes === undefined) return undefined;
  if (bytes.length > MAX_USER_ID_BYTES) {
    throw new ServiceError(
      'refresh.user_id_too_long',
      `encrypted_user_id: expected at most ${MAX_USER_ID_BYTES} bytes, got ${bytes.length}`,
    );
  }
  try {
    return decodeUtf8(bytes);
  } catch {
    throw malformed('encrypted_user_id: expected UTF-8');
  }
}
