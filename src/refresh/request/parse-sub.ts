import { parseNonZeroElement } from '../../credential/index.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Bytes32 } from '../../storage/index.ts';
import type { RefreshForm } from './parse-form.ts';

// `0x` and 64 digits
const MAX_BYTES = 66;

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
  const text = Buffer.from(bytes.subarray(0, MAX_BYTES + 1)).toString('latin1');
  const sub = parseNonZeroElement(text);
  if (sub !== undefined) return sub;
  throw new ServiceError(
    'refresh.sub_invalid',
    'sub: expected 0x and 1 to 64 hex digits, above 0 and below the scalar order',
  );
}
