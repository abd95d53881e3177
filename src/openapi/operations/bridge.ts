import { basePathOf } from '../../config/values/public-address.ts';
import type { DocumentConfig, Json, Parameter, PublicOperation, RequestBody } from '../operation.ts';
import {
  bodyOfAtMost,
  described,
  limited,
  objectOf,
  oneOfTexts,
  requestsPerMinute,
  TEXT,
  timesPerMinute,
} from '../schemas.ts';

const EXAMPLE_ID = '3f2b8c1e-7a54-4d0f-9b61-2c8e5a7d1f90';
const ID: Json = { type: 'string', pattern: '^[A-Za-z0-9._-]{16,256}$' };
const REQUEST_ID: Parameter = {
  name: 'request_id',
  in: 'path',
  required: true,
  description: 'Id of the request, in either case.',
  schema: ID,
  example: EXAMPLE_ID,
};
const MESSAGE = {
  iv: described('Initialisation vector, as the sender wrote it.', TEXT),
  payload: described('Ciphertext, as the sender wrote it.', TEXT),
};
const EXAMPLE_MESSAGE = { iv: 'MDEyMzQ1Njc4OWFi', payload: 'Y2lwaGVydGV4dA==' };
const NO_SUCH = ['bridge.invalid', 'bridge.not_found', 'store.unreachable'] as const;
const FULL = ['bridge.share_full', 'bridge.full'] as const;

/**
 * Describes the calls of the wallet bridge (spec/sign-in.md#bridge-calls), a relay of ciphertext that the service cannot read.
 */
export function bridgeOperations(config: DocumentConfig): PublicOperation[] {
  if (!config.bridge.enabled) return [];
  const { bridge, bridgePolls, bridgePerAddress, bridgeFailures } = config.rateLimits;
  const limits = requestsPerMinute(bridgePerAddress, 'rateLimits.bridgePerAddress');
  const storing = timesPerMinute('store a message or name an unknown id', bridge, 'rateLimits.bridge');
  const polling = [
    ...timesPerMinute('poll one request', bridgePolls, 'rateLimits.bridgePolls'),
    ...timesPerMinute('name an unknown id', bridgeFailures, 'rateLimits.bridgeFailures'),
  ];
  const body = (schema: Json, value: object): RequestBody => ({
    mediaType: 'application/json',
    schema,
    examples: { message: { summary: 'A message', value } },
  });
  const call = (
    path: string,
    operation: Omit<PublicOperation, 'paths' | 'tag' | 'headers' | 'errorForm'>,
  ): PublicOperation => ({
    ...operation,
    paths: [`${basePathOf(config.baseUrl)}/bridge${path}`, ...(config.bridge.rootAlias ? [path] : [])],
    tag: 'Wallet bridge',
    limits: [
      ...(operation.body === undefined ? [] : [bodyOfAtMost(config.bridge.bodyLimitBytes)]),
      ...limits,
      ...(operation.body === undefined ? polling : storing),
    ],
    headers: ['Cache-Control', 'Access-Control-Allow-Origin'],
    errorForm: 'signin',
    ...limited(Math.max(bridge, bridgePolls, bridgePerAddress, bridgeFailures)),
  });
  const one = { parameters: [REQUEST_ID] };
  const stored = { description: 'The message is stored.' };
  const found = { description: 'There is one.' };
  const created = {
    description: 'The message is stored under this id.',
    content: { 'application/json': objectOf({ request_id: TEXT }) },
  };
  return [
    call('/request', {
      id: 'createBridgeRequest',
      method: 'POST',
      summary: 'Store a request for a wallet',
      body: body(objectOf({ request_id: { ...ID, type: ['string', 'null'] }, ...MESSAGE }, ['request_id']), {
        request_id: EXAMPLE_ID,
        ...EXAMPLE_MESSAGE,
      }),
      success: { 200: created },
      errors: ['bridge.invalid', 'bridge.conflict', ...FULL, 'store.unreachable'],
    }),
    call('/request/:request_id', {
      id: 'checkBridgeRequest',
      method: 'HEAD',
      ...one,
      summary: 'Ask whether a request waits',
      success: { 200: found },
      errors: NO_SUCH,
    }),
    call('/request/:request_id', {
      id: 'takeBridgeRequest',
      method: 'GET',
      ...one,
      summary: 'Take a request, once',
      success: {
        200: {
          description: 'The request, which is gone now.',
          content: { 'application/json': objectOf(MESSAGE) },
        },
      },
      errors: NO_SUCH,
    }),
    call('/request/:request_id', {
      id: 'putBridgeRequest',
      method: 'PUT',
      ...one,
      summary: 'Overwrite a request',
      description: 'Outside production only.',
      body: body(objectOf(MESSAGE), EXAMPLE_MESSAGE),
      success: { 201: stored },
      errors: [...NO_SUCH, 'bridge.conflict', ...FULL],
    }),
    call('/response/:request_id', {
      id: 'takeBridgeResponse',
      method: 'GET',
      ...one,
      summary: 'Poll a request, and take its answer once',
      success: {
        200: {
          description: 'The state of the request; with the answer once there is one, which is gone then.',
          content: {
            'application/json': objectOf({
              status: oneOfTexts('initialized', 'retrieved', 'completed'),
              response: { anyOf: [objectOf(MESSAGE), { type: 'null' }] },
            }),
          },
        },
      },
      errors: NO_SUCH,
    }),
    call('/response/:request_id', {
      id: 'checkBridgeResponse',
      method: 'HEAD',
      ...one,
      summary: 'Ask whether the state of a request is known',
      success: { 200: found },
      errors: [...NO_SUCH, 'bridge.no_status'],
    }),
    call('/response/:request_id', {
      id: 'putBridgeResponse',
      method: 'PUT',
      ...one,
      summary: 'Answer a request',
      body: body(objectOf(MESSAGE), EXAMPLE_MESSAGE),
      success: { 201: stored },
      errors: [...NO_SUCH, 'bridge.no_status', 'bridge.conflict', ...FULL],
    }),
    call('/response', {
      id: 'createBridgeResponse',
      method: 'POST',
      summary: 'Store an answer without a request',
      body: body(objectOf(MESSAGE), EXAMPLE_MESSAGE),
      success: { 201: created },
      errors: ['bridge.invalid', ...FULL, 'store.unreachable'],
    }),
  ];
}
