/** The package qrcode with its drawings counted, for `vi.mock`. */
import { vi } from 'vitest';

/** Factory of the mock. */
export async function countedQrcode(
  original: <Module>() => Promise<Module>,
): Promise<typeof import('qrcode')> {
  const qrcode = await original<typeof import('qrcode')>();
  const draw = qrcode.toString as (...values: unknown[]) => unknown;
  // The export is called `toString`, so a call without arguments is a conversion of the module to text.
  const counted = vi.fn((...values: unknown[]) => (values.length === 0 ? 'qrcode' : draw(...values)));
  return { ...qrcode, toString: counted as unknown as typeof qrcode.toString };
}
