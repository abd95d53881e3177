import { SIGNIN_UNAVAILABLE } from '../spec.ts';

/** Refusals of the wallet bridge (spec/sign-in.md#bridge-calls). */
export const BRIDGE_ERRORS = {
  'bridge.invalid': {
    title: 'The call does not have the form of a bridge message',
    cause:
      'The id is not 16 to 256 of A-Z, a-z, 0-9, ".", "_" and "-", or the body is not JSON with the texts iv and payload.',
    cure: 'Correct what the attribute of the answer names.',
    retry: 'never',
    signin: { status: 400, error: 'invalid_request', code: 'invalid_request' },
  },
  'bridge.no_status': {
    title: 'No request waits for this answer',
    cause: 'No request has this id, its 900 seconds are over, or it was already answered.',
    cure: 'Start again at the page that showed the code.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_request',
      code: 'invalid_request',
      text: 'The request is unknown, expired or already answered.',
    },
  },
  'bridge.not_found': {
    title: 'No bridge message has this id',
    cause:
      'It never existed, was already fetched, or its 900 seconds are over. Each message can be fetched once.',
    cure: 'Start again at the page that showed the code.',
    retry: 'never',
    signin: { status: 404, error: 'invalid_request', code: 'not_found', text: 'Not found.' },
  },
  'bridge.conflict': {
    title: 'The id of a bridge message is taken',
    cause:
      'A live request or answer has this id; an id is free again once its answer was fetched or its time is over.',
    cure: 'Choose another request_id, or leave it out.',
    retry: 'never',
    signin: {
      status: 409,
      error: 'invalid_request',
      code: 'conflict',
      text: 'This request_id is already in use.',
    },
  },
  'bridge.share_full': {
    title: 'The address has reached its limit on the wallet bridge',
    cause:
      'The live messages that came from this address (IPv6: from its /64) reached bridge.maxEntriesPerAddress or bridge.maxBytesPerAddress, over all nodes. A message is removed when it is fetched, any other after 900 seconds, and so is the space of a long answer to a sign-in.',
    cure: 'Wait for the time of Retry-After. If all clients arrive under the address of a proxy, the operator sets proxy.trusted.',
    retry: 'later',
    signin: {
      status: 429,
      error: 'temporarily_unavailable',
      code: 'rate_limit',
      text: 'Too many messages of this address are on the bridge. Please try again later.',
    },
  },
  'bridge.full': {
    title: 'The wallet bridge is full',
    cause:
      'The live messages of third parties reached bridge.maxEntries or bridge.maxBytes, over all nodes, and no network holds twice as much as this one, so no message is evicted. Sign-ins of this service do not count and are not affected.',
    cure: 'Wait for the time of Retry-After. If it happens often, the operator looks at bridge_messages_total and bridge_evictions_total, and raises the limits.',
    retry: 'later',
    signin: SIGNIN_UNAVAILABLE as typeof SIGNIN_UNAVAILABLE,
  },
} as const;
