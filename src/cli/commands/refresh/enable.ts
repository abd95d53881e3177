import type { Command } from '../../program/command.ts';
import { switchCommand } from './refresh-switch.ts';

/** `refresh enable`: lets credentials be issued again. */
export const refreshEnable: Command = switchCommand(
  'enable',
  'let credentials be issued again, on all nodes',
);
