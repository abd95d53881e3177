import { decodeUtf8 } from '../../bytes.ts';
import { ServiceError } from '../../errors/index.ts';
import { malformed } from './header-parameters.ts';
import type { RefreshForm } from './parse-form.ts';

const MAX_BYTES = 4096;

/**
 * Reads the optional text `encrypted_user_id`, as part of the check of the form
 * (spec/refresh.md#order-of-checks, form).
 *
 * @throws ServiceError `refresh.user_id_too_long`, `refresh.malformed_body` if it is not UTF-8
 */
export function encryptedUserId(form: RefreshForm): string | undefined {
  const bytes = form.parts.get('encrypted_user_id');
  if (bytes === undefined) return undefined;
  if (bytes.length > MAX_BYTES) {
    throw new ServiceError(
      'refresh.user_id_too_long',
      `encrypted_user_id: expected at most ${MAX_BYTES} bytes, got ${bytes.length}`,
    );
  }
  try {
    return decodeUtf8(bytes);
  } catch {
    throw malformed('encrypted_user_id: expected UTF-8');
  }
}
