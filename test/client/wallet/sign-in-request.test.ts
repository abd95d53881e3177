import { describe, expect, it } from 'vitest';
import { parseSignInRequest } from '../../../src/client/wallet/sign-in/sign-in-session.ts';
import { externalNullifier, hashSignal } from '../../../src/semaphore/hashes.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import { SCALAR_ORDER, wordOf } from '../../../src/semaphore/words.ts';

const REQUEST = {
  app_id: 'app_staging_cb4113a6f4f9dcd1f6cd6e05377dd614',
  action_description: 'Sign in to Demo Shop (shop.example)',
  action: '',
  signal: toHex(hashSignal('e2e-tests-1')),
  credential_types: ['orb', 'device'],
  verification_level: 'device',
};

describe('the request of an app', () => {
  it('is read member by member, and unknown members are ignored', () => {
    expect(parseSignInRequest({ ...REQUEST, return_to: 'x' })).toEqual({
      appId: REQUEST.app_id,
      action: '',
      description: REQUEST.action_description,
      signalHash: hashSignal('e2e-tests-1'),
      trees: ['orb', 'device'],
    });
  });

  it('has the external nullifier of a sign-in, which has an empty action', () => {
    const { appId, action } = parseSignInRequest(REQUEST);
    expect(toHex(externalNullifier(appId, action))).toBe(
      '0x00a8140d86bbcfb9bbc8f47cdfbed90d13565a4911af3e8ea91d48733f7a7bb8',
    );
  });

  it.each([
    ['both members', { credential_types: ['orb'], verification_level: 'orb' }],
    ['the level alone', { credential_types: undefined, verification_level: 'orb' }],
    ['the older member alone', { credential_types: ['orb'], verification_level: undefined }],
  ])('accepts only the orb tree if %s say so', (_, changes) => {
    expect(parseSignInRequest({ ...REQUEST, ...changes }).trees).toEqual(['orb']);
  });

  it('accepts either tree if it names no level', () => {
    const { credential_types: _types, verification_level: _level, ...rest } = REQUEST;
    expect(parseSignInRequest(rest).trees).toEqual(['orb', 'device']);
  });

  it.each([
    ['a list', [REQUEST]],
    ['null', null],
    ['no app', { ...REQUEST, app_id: undefined }],
    ['an action that is not text', { ...REQUEST, action: 5 }],
    ['no signal', { ...REQUEST, signal: undefined }],
    ['a signal that is not a hash', { ...REQUEST, signal: 'siwi:abc' }],
    ['a signal beyond the field', { ...REQUEST, signal: toHex(wordOf(SCALAR_ORDER)) }],
  ])('is refused when it is or has %s', (_, plaintext) => {
    expect(() => parseSignInRequest(plaintext)).toThrow(expect.objectContaining({ fault: 'request' }));
  });
});
