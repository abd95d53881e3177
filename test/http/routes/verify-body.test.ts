// Rules: spec/verification.md#success-response
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { successText } from '../../../src/http/routes/public/verify-body.ts';
import type { UniquenessSuccess, VerifySuccess } from '../../../src/verification/index.ts';

const success = (changes: Partial<UniquenessSuccess> = {}): UniquenessSuccess => ({
  success: true,
  action: 'testing',
  nullifier: `0x${'0a'.repeat(32)}`,
  created_at: '2026-01-15T09:30:00.123Z',
  environment: 'production',
  protocol_version: '3.0',
  results: [{ identifier: 'orb', success: true, nullifier: '0xAB' }],
  message: 'Proof verified successfully',
  ...changes,
});

/** Arbitrary UTF-16 code units, including unpaired surrogates and control characters. */
const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0, max: 0x7f })), { maxLength: 20 })
  .map((units) => String.fromCharCode(...units));

describe('successText', () => {
  it('equals JSON.stringify for any action', () => {
    expect(successText(success())).toBe(JSON.stringify(success()));
    fc.assert(
      fc.property(anyText, (action) => {
        expect(successText(success({ action }))).toBe(JSON.stringify(success({ action })));
      }),
    );
  });

  it('lists failed and verified items in order', () => {
    const failed = {
      identifier: 'face',
      success: false,
      nullifier: '0xCD',
      code: 'invalid_proof',
      detail: 'The "proof".',
    } as const;
    const [ok] = success().results;
    if (ok === undefined) throw new Error('no item');
    for (const results of [
      [failed, ok],
      [ok, failed, ok],
      [ok, { ...failed, attribute: 'proof' }],
    ]) {
      expect(successText(success({ results }))).toBe(JSON.stringify(success({ results })));
    }
  });

  it('equals JSON.stringify for a session, whose id may be any text', () => {
    const [result] = success().results;
    if (result === undefined) throw new Error('no item');
    const session: VerifySuccess = {
      success: true,
      session_id: '0x"\u0000',
      environment: 'staging',
      protocol_version: '4.0',
      results: [{ ...result, sessionId: '0x"\u0000' }],
      message: 'Session proof verified successfully',
    };
    expect(successText(session)).toBe(JSON.stringify(session));
  });
});
