import { ServiceError } from '../errors/index.ts';

declare const bridgeId: unique symbol;

/** Id of a bridge message: 16 to 256 of a-z, 0-9, `.`, `_` and `-`. */
export type BridgeId = string & { readonly [bridgeId]: true };

const FORM = /^[A-Za-z0-9._-]{16,256}$/;

/**
 * Parses an id and returns it as it is stored: in lower case.
 *
 * @throws ServiceError `bridge.invalid`
 */
export function parseId(text: string): BridgeId {
  if (!FORM.test(text)) {
    throw new ServiceError(
      'bridge.invalid',
      `request_id: expected 16 to 256 of A-Z, a-z, 0-9, '.', '_' and '-', got ${text.length} characters`,
      { path: 'request_id' },
    );
  }
  return text.toLowerCase() as BridgeId;
}
