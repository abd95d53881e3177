import { CONTROL_OPERATIONS } from '../../operations/control.ts';
import { operationCommand } from '../operations/operation-command.ts';
import type { Command } from '../program/command.ts';

/** `sweep`: removes expired rows now, as every server does periodically. */
const sweep: Command = operationCommand(CONTROL_OPERATIONS.sweep, {
  path: ['sweep'],
  summary: 'remove expired rows from the store',
  show({ removed }) {
    const lines = Object.entries(removed).map(([table, rows]) => `${table}: ${rows} removed`);
    return {
      json: { removed },
      text: lines.length === 0 ? 'no table has rows that expire' : lines.join('\n'),
    };
  },
});

/** `refresh disable`: stops the issuance of credentials. */
const refreshDisable: Command = switchCommand(
  false,
  'stop issuing credentials on all nodes; refreshes are answered 503',
);

/** `refresh enable`: lets credentials be issued again. */
const refreshEnable: Command = switchCommand(true, 'let credentials be issued again, on all nodes');

function switchCommand(enabled: boolean, summary: string): Command {
  return operationCommand(CONTROL_OPERATIONS.updateRefresh, {
    path: ['refresh', enabled ? 'enable' : 'disable'],
    summary,
    details:
      'The switch is in the store: every node follows within storage.cacheSeconds. Independent of refresh.enabled.',
    fixed: { enabled },
    show({ configured, within_seconds }, _values, { context }) {
      if (enabled && !configured) {
        context.note('warning: refresh.enabled is false here: nodes with this setting still refuse');
      }
      const text = `credential refresh is switched ${enabled ? 'on' : 'off'}; every node follows within ${within_seconds} s`;
      return { json: { enabled, within_seconds }, text };
    },
  });
}

/** Commands of this file, in the order of the help. */
export const COMMANDS: readonly Command[] = [refreshEnable, refreshDisable, sweep];
