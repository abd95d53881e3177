import { ServiceError } from '../../errors/index.ts';
import type { ResponseType } from '../../storage/index.ts';
import { hasWord, type Parameters } from '../parameters.ts';

const NAME = 'dpop_jkt';
// base64url of 32 bytes (RFC 7638 section 3 with SHA-256)
const THUMBPRINT = /^[A-Za-z0-9_-]{43}$/;

/**
 * Reads the key that must redeem the code (spec/sign-in.md#checks-answered-to-the-app, dpop-jkt; RFC 9449
 * section 10); undefined if none was sent or if the response type has no code to bind to it.
 *
 * @throws ServiceError `dpop.jkt_malformed`
 */
export function readDpopJkt(parameters: Parameters, type: ResponseType): string | undefined {
  const jkt = parameters.get(NAME);
  if (jkt === undefined) return undefined;
  if (!THUMBPRINT.test(jkt)) throw new ServiceError('dpop.jkt_malformed', undefined, { path: NAME });
  return hasWord(type, 'code') ? jkt : undefined;
}
