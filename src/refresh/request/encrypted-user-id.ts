import { malformed } from './malformed.ts';
import type { RefreshForm } from './parse-form.ts';

// A byte order mark is part of the text: the value is kept as it came.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The optional text `encrypted_user_id`, which belongs to check 4.
 *
 * @throws ServiceError `refresh.malformed_body` when it is not UTF-8
 */
export function encryptedUserId(form: RefreshForm): string | undefined {
  const bytes = form.parts.get('encrypted_user_id');
  if (bytes === undefined) return undefined;
  try {
    return decoder.decode(bytes);
  } catch {
    throw malformed('encrypted_user_id: expected UTF-8');
  }
}
