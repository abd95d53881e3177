import { byteCount, isBytes } from '../bytes.ts';
import { FormError } from './form-error.ts';
import { WORD_BYTES } from './layout.ts';
import { type NumberCodes, type NumberForm, typeName, writeNumberForm } from './number-form.ts';

/** Public signals in the order of the circuit, or all of them as n × 32 bytes, big-endian. */
export type SignalsForm = readonly NumberForm[] | Uint8Array;

const CODES: NumberCodes = { form: 'input.form', range: 'input.range' };

/**
 * Encodes public signals for the engine, which checks that each is below r.
 *
 * @param count - Number of public inputs of the verifying key.
 * @returns count × 32 bytes, a copy: each value is read once.
 * @throws FormError `input.form`, `input.count`, `input.range`
 */
export function signalBytesOf(signals: unknown, count: number): Uint8Array {
  if (isBytes(signals)) {
    if (byteCount(signals) === count * WORD_BYTES) return new Uint8Array(signals);
    throw new FormError('input.count', '', `expected ${count} × 32 bytes, got ${byteCount(signals)}`);
  }
  if (!Array.isArray(signals))
    throw new FormError(
      'input.form',
      '',
      `expected an array of public signals, got ${typeName(signals)}`,
      true,
    );
  const { length } = signals;
  if (length !== count)
    throw new FormError('input.count', '', `expected ${count} public signals, got ${length}`);
  const bytes = new Uint8Array(count * WORD_BYTES);
  for (let index = 0; index < count; index++) {
    const target = bytes.subarray(index * WORD_BYTES, (index + 1) * WORD_BYTES);
    writeNumberForm(signals[index], target, `publicSignals[${index}]`, CODES);
  }
  return bytes;
}
