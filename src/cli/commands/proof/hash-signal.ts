import { hashSignal, toHex } from '../../../semaphore/index.ts';
import type { Command } from '../../program/command.ts';

/** `hash signal TEXT`: prints the `signal_hash` that a client puts into a proof. */
export const hashSignalCommand: Command = {
  path: ['hash', 'signal'],
  summary: 'print the signal_hash of a signal',
  details: 'A text of 0x and whole hex bytes is decoded first; any other text is taken as UTF-8.',
  arguments: [{ name: 'text', description: 'the signal' }],
  run: async (input, context) => {
    const signalHash = toHex(hashSignal(input.argument('text')));
    await context.print({ signal_hash: signalHash }, signalHash);
    return 0;
  },
};
