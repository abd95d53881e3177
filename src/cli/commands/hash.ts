import { externalNullifier, hashSignal, rpIdOf } from '../../semaphore/hashes.ts';
import { toHex } from '../../semaphore/hex.ts';
import type { Command } from '../program/command.ts';

/** `hash signal TEXT`: prints the `signal_hash` that a client puts into a proof. */
const hashSignalCommand: Command = {
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

/** `hash action APP ACTION`: prints the external nullifier that binds a proof to an app and an action. */
const hashActionCommand: Command = {
  path: ['hash', 'action'],
  summary: 'print the external nullifier of an app and an action',
  details: 'With an empty action, it is the external nullifier of the app alone.',
  arguments: [
    { name: 'app', description: 'app_id of the relying party' },
    { name: 'action', description: 'the action, as it is sent' },
  ],
  run: async (input, context) => {
    const app = input.argument('app');
    const action = input.argument('action');
    const word = toHex(externalNullifier(app, action === '' ? undefined : action));
    await context.print({ external_nullifier: word, rp_id: rpIdOf(app) }, word);
    return 0;
  },
};

/** Commands of this file, in the order of the help. */
export const COMMANDS: readonly Command[] = [hashSignalCommand, hashActionCommand];
