import { describe, expect, it } from 'vitest';
import { bodyMaker, send } from '../support/load.ts';
import { opened } from '../support/opened.ts';
import { startLoadApp } from '../support/signin/register-load-app.ts';

describe('POST /api/v4/verify with one nullifier from many callers', () => {
  const app = opened(startLoadApp, 'stop');

  it('answers 50 parallel requests with one new record and 49 reuses of the same created_at', async () => {
    const { body, nullifier } = (await bodyMaker('fifty'))();
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(app.publicUrl, body)));
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
    const messages = answers.map((answer) => answer.body.message);
    expect(messages.filter((text) => text === 'Proof verified successfully')).toHaveLength(1);
    expect(messages.filter((text) => text === 'Proof verified successfully (nullifier reuse)')).toHaveLength(
      49,
    );
    expect(new Set(answers.map((answer) => answer.body.created_at)).size).toBe(1);
    expect(new Set(answers.map((answer) => answer.body.nullifier))).toEqual(new Set([nullifier]));
  });

  it('keeps created_at for a later call', async () => {
    const { body } = (await bodyMaker('later'))();
    const first = await send(app.publicUrl, body);
    const second = await send(app.publicUrl, body);
    expect(first.body.message).toBe('Proof verified successfully');
    expect(second.body.message).toBe('Proof verified successfully (nullifier reuse)');
    expect(second.body.created_at).toBe(first.body.created_at);
  });
});
