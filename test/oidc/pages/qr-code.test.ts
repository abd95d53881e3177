import { toString as drawQrCode } from 'qrcode';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createQrCodes } from '../../../src/http/routes/public/signin/transaction/qr-code.ts';

// vi.mock is hoisted above the imports, so its factory imports the helper itself.
vi.mock('qrcode', async (original) => {
  const { countedQrcode } = await import('../../support/counted-qrcode.ts');
  return await countedQrcode(original);
});

const drawings = vi.mocked(drawQrCode);

beforeEach(() => drawings.mockClear());

describe('QR codes', () => {
  it('are drawn once while they are cached, for concurrent and for later requests', async () => {
    const qrCodes = createQrCodes();
    const [one, two] = await Promise.all([qrCodes('a'), qrCodes('a')]);
    expect(await qrCodes('a')).toBe(one);
    expect(two).toBe(one);
    expect(drawings).toHaveBeenCalledTimes(1);
    expect(await qrCodes('b')).not.toEqual(one);
    expect(drawings).toHaveBeenCalledTimes(2);
  });

  it('are cached up to a limit, beyond which the least recently used is evicted', async () => {
    const qrCodes = createQrCodes(2);
    for (const text of ['a', 'b', 'a', 'c', 'a']) await qrCodes(text);
    expect(drawings).toHaveBeenCalledTimes(3);
    await qrCodes('b');
    expect(drawings).toHaveBeenCalledTimes(4);
    await qrCodes('a');
    expect(drawings).toHaveBeenCalledTimes(4);
    await qrCodes('c');
    expect(drawings).toHaveBeenCalledTimes(5);
  });

  it('are drawn again after a drawing that failed', async () => {
    const qrCodes = createQrCodes();
    drawings.mockImplementationOnce(() => Promise.reject(new Error('no memory')) as never);
    await expect(qrCodes('a')).rejects.toThrow('no memory');
    expect((await qrCodes('a')).first).toContain('<svg');
  });

  it('reuse the first drawing the second time, in few bytes', async () => {
    const { first, again } = await createQrCodes()('https://world.org/verify?t=wld');
    const [, id] = /<path id="([^"]*)" stroke="#000000" d="M/.exec(first) ?? [];
    expect(again).toContain(`<use href="#${id}"/></svg>`);
    expect(again).toContain('<path fill="#ffffff" d="M0 0h');
    expect(again.length).toBeLessThan(300);
    for (const svg of [first, again])
      expect(svg).toMatch(/^<svg [^>]*width="280" height="280"[^>]*>.*<\/svg>$/s);
  });
});
