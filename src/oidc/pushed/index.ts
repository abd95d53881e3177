/**
 * Pushed authorization requests (spec/sign-in.md#pushed-requests, RFC 9126): `push-request.ts` checks and stores a
 * request that a client sends itself, `find-request.ts` finds it again for the browser that has its reference.
 */
export { createPushedRequestFinder, type FoundRequest, type PushedRequestFinder } from './find-request.ts';
export { createPush, type PushedRequest, type PushParts } from './push-request.ts';
