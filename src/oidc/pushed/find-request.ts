import { ServiceError } from '../../errors/index.ts';
import type { Bytes32, PushedRequestStore } from '../../storage/index.ts';
import { type Parameters, parseParameters, refuseRepeated, required } from '../parameters.ts';
import { hashOfReference, isReference } from './reference.ts';

/** The parameters of an authorization request, wherever they came from. */
export interface FoundRequest {
  readonly parameters: Parameters;
  /** SHA-256 of the reference of a pushed request; undefined if the browser brought the parameters. */
  readonly pushed: Bytes32 | undefined;
}

/**
 * Finds the parameters of an authorization request (spec/sign-in.md#use-of-a-pushed-request): those that were pushed,
 * if the browser brings a reference; no other parameter of the browser counts then, save `client_id`.
 *
 * @throws ServiceError `signin.repeated_parameter`, `signin.parameter_required`, `authorize.request_uri_invalid`,
 *   `store.unreachable`
 */
export type PushedRequestFinder = (sent: Parameters) => Promise<FoundRequest>;

/**
 * Creates the finder over the store.
 *
 * @param now - Milliseconds since the epoch.
 */
export function createPushedRequestFinder(
  store: Pick<PushedRequestStore, 'find'>,
  now: () => number,
): PushedRequestFinder {
  return async (sent) => {
    const requestUri = sent.get('request_uri');
    if (requestUri === undefined || !isReference(requestUri) || sent.isRepeated('request_uri')) {
      return { parameters: sent, pushed: undefined };
    }
    refuseRepeated(sent, ['client_id']);
    const clientId = required(sent, 'client_id');
    const row = await store.find(hashOfReference(requestUri), now());
    if (row?.clientId !== clientId) {
      throw new ServiceError('authorize.request_uri_invalid', undefined, { path: 'request_uri' });
    }
    return { parameters: parseParameters(row.parameters), pushed: row.referenceHash };
  };
}
