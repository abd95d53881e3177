import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createByteSealer } from '../../../src/apps/index.ts';

const SECRET = randomBytes(32);

describe('the sealer of secrets', () => {
  it('opens what it sealed, and seals a secret to a different text each time that does not contain it', async () => {
    const sealer = createByteSealer(randomBytes(32));
    const texts = [await sealer.seal(SECRET), await sealer.seal(SECRET)];
    expect(new Set(texts).size).toBe(2);
    for (const text of texts) {
      expect(await sealer.open(text)).toEqual({ bytes: new Uint8Array(SECRET), isUnderCurrentKey: true });
      for (const part of text.split('.')) expect(Buffer.from(part, 'base64url').includes(SECRET)).toBe(false);
    }
  });

  it('opens what the previous master key sealed, and reports it', async () => {
    const [former, present] = [randomBytes(32), randomBytes(32)];
    const text = await createByteSealer(former).seal(SECRET);
    expect((await createByteSealer(present, former).open(text))?.isUnderCurrentKey).toBe(false);
    expect(await createByteSealer(present).open(text)).toBeUndefined();
  });

  it('opens no text that was changed anywhere', async () => {
    const sealer = createByteSealer(randomBytes(32));
    const text = await sealer.seal(SECRET);
    for (const [index, part] of text.split('.').entries()) {
      const bytes = Buffer.from(part, 'base64url');
      if (bytes.length === 0) continue;
      bytes[0] = (bytes[0] ?? 0) ^ 1;
      const changed = text.split('.').with(index, bytes.toString('base64url')).join('.');
      expect(await sealer.open(changed), String(index)).toBeUndefined();
    }
    for (const other of ['', '....', 'text', `${text}.x`]) expect(await sealer.open(other)).toBeUndefined();
  });
});
