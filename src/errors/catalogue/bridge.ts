import { SIGNIN_UNAVAILABLE } from './answers.ts';

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
    title: 'Nobody waits for this answer',
    cause: 'No request has this id, its 900 seconds are over, or it was answered before.',
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
      'It was never there, was taken before, or its 900 seconds are over. Each message is given out once.',
    cure: 'Start again at the page that showed the code.',
    retry: 'never',
    signin: { status: 404, error: 'invalid_request', code: 'not_found', text: 'Not found.' },
  },
  'bridge.conflict': {
    title: 'The id of a bridge message is taken',
    cause:
      'A live request or answer has this id; an id is free again when its answer was taken or its time is over.',
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
    title: 'The address holds as much of the wallet bridge as it may',
    cause:
      'The live messages that came from this address (IPv6: from its /64) reached bridge.maxEntriesPerAddress or bridge.maxBytesPerAddress, over all nodes. A message that is taken leaves at once, any other after 900 seconds, and so does the place of a long answer to a sign-in.',
    cure: 'Wait for the time of Retry-After. An operator behind whose proxy everybody has one address sets proxy.trusted.',
    retry: 'later',
    signin: {
      status: 429,
      error: 'temporarily_unavailable',
      code: 'rate_limit',
      text: 'Too many messages of this address are on the bridge. Please try again later.',
    },
  },
  'bridge.full': {
    title: 'The wallet bridge holds as much as it may',
    cause:
      'The live messages of all strangers reached bridge.maxEntries or bridge.maxBytes, over all nodes, and no network holds twice as much as this one, so that none makes room. Sign-ins of this service do not count and are not concerned.',
    cure: 'Wait for the time of Retry-After. An operator who sees it often looks at bridge_messages_total and bridge_evictions_total, and raises the bounds.',
    retry: 'later',
    signin: SIGNIN_UNAVAILABLE as typeof SIGNIN_UNAVAILABLE,
  },
} as const;
