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
 * @returns count × 32 bytes.
 * @throws FormError `input.form`, `input.count`, `input.range`
 */
export function signalBytesOf(signals: unknown, count: number): Uint8Array {
  if (signals instanceof Uint8Array) {
    if (signals.length === count * WORD_BYTES) return signals;
    throw new FormError('input.count', '', `expected ${count} × 32 bytes, got ${signals.length}`);
  }
  if (!Array.isArray(signals))
    throw new FormError(
      'input.form',
      '',
      `expected an array of public signals, got ${typeName(signals)}`,
      true,
    );
  if (signals.length !== count)
    throw new FormError('input.count', '', `expected ${count} public signals, got ${signals.length}`);
  const bytes = new Uint8Array(count * WORD_BYTES);
  for (let index = 0; index < count; index++) {
    const target = bytes.subarray(index * WORD_BYTES, (index + 1) * WORD_BYTES);
    writeNumberForm(signals[index], target, `publicSignals[${index}]`, CODES);
  }
  return bytes;
}
