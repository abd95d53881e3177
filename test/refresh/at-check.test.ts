import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors/index.ts';
import { atCheck } from '../../src/refresh/refresh.ts';

describe('a check of a refresh', () => {
  it('resolves to the result of the check', async () => {
    await expect(atCheck(5, () => 'found')).resolves.toBe('found');
    await expect(atCheck(5, async () => 'found later')).resolves.toBe('found later');
  });

  it('adds its number to a refusal, and keeps the other details', async () => {
    const refusal = new ServiceError('refresh.limited', 'text', { retryAfterSeconds: 7, rule: 'window' });
    const thrown = atCheck(10, () => {
      throw refusal;
    });
    await expect(thrown).rejects.toMatchObject({
      code: 'refresh.limited',
      message: 'text',
      details: { check: 10, retryAfterSeconds: 7, rule: 'window' },
      cause: refusal,
    });
  });

  it('keeps a number that the refusal already has', async () => {
    const refusal = new ServiceError('refresh.package_invalid', undefined, { check: 13 });
    await expect(atCheck(14, () => Promise.reject(refusal))).rejects.toBe(refusal);
  });

  it('turns any other error into an internal error with its cause', async () => {
    const cause = new Error('unforeseen');
    await expect(atCheck(9, () => Promise.reject(cause))).rejects.toMatchObject({
      code: 'internal.unforeseen',
      details: { check: 9 },
      cause,
    });
  });
});
