/** The package qrcode with its drawings counted, for `vi.mock`. */
import { vi } from 'vitest';

/** Factory of the mock. */
export async function countedQrcode(
  original: <Module>() => Promise<Module>,
): Promise<typeof import('qrcode')> {
  const qrcode = await original<typeof import('qrcode')>();
  const draw = qrcode.toString as (...values: unknown[]) => unknown;
  // Its export has the name of a method that every object has: without arguments, somebody wants the module as text.
  const counted = vi.fn((...values: unknown[]) => (values.length === 0 ? 'qrcode' : draw(...values)));
  return { ...qrcode, toString: counted as unknown as typeof qrcode.toString };
}
