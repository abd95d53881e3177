import type { Command } from '../../program/command.ts';
import { switchCommand } from './refresh-switch.ts';

/** `refresh disable`: stops the issuance of credentials. */
export const refreshDisable: Command = switchCommand(
  'disable',
  'stop issuing credentials on all nodes; refreshes are answered 503',
);
