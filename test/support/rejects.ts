import { expect } from 'vitest';

/** Expects a rejection by an error with a code, and with a text in its message if one is given. */
export async function expectRejected(outcome: Promise<unknown>, code: string, text = ''): Promise<void> {
  await expect(outcome).rejects.toMatchObject({ code, message: expect.stringContaining(text) });
}
