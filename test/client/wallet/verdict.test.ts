import { describe, expect, it } from 'vitest';
import { readVerdict } from '../../../src/client/wallet/calls/verify-client.ts';

const SUCCESS = {
  success: true,
  nullifier: '0x12',
  created_at: '2026-01-15T09:30:00.123Z',
  results: [{ identifier: 'orb', success: true }],
  message: 'Proof verified successfully',
};

describe('an answer of the verification interface', () => {
  it('is new, or a reuse with the time of the first proof', () => {
    expect(readVerdict(200, SUCCESS)).toMatchObject({ outcome: 'new', nullifier: '0x12' });
    const message = 'Proof verified successfully (nullifier reuse)';
    expect(readVerdict(200, { ...SUCCESS, message })).toMatchObject({
      outcome: 'reuse',
      createdAt: SUCCESS.created_at,
    });
  });

  it('is of a session, in which nothing is unique', () => {
    const message = 'Session proof verified successfully';
    const verdict = readVerdict(200, { success: true, session_id: 'session_1', results: [], message });
    expect(verdict).toMatchObject({ outcome: 'session', text: message, nullifier: undefined });
  });

  it('is a refusal with the code and detail of the proof', () => {
    const results = [{ success: false, code: 'invalid_merkle_root', detail: 'The root is unknown.' }];
    const body = { success: false, code: 'all_verifications_failed', detail: 'All failed.', results };
    expect(readVerdict(400, body)).toMatchObject({
      outcome: 'refused',
      text: 'invalid_merkle_root: The root is unknown.',
    });
  });

  it('is a refusal with the code and detail of the request if no proof was checked', () => {
    const body = { success: false, code: 'app_not_migrated', detail: 'Not migrated.', attribute: null };
    expect(readVerdict(400, body).text).toBe('app_not_migrated: Not migrated.');
  });

  it('is a refusal if it cannot be read', () => {
    expect(readVerdict(502, undefined)).toMatchObject({
      outcome: 'refused',
      text: 'The answer cannot be read.',
    });
    expect(readVerdict(200, [])).toMatchObject({ outcome: 'refused' });
  });
});
