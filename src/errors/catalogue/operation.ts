import type { ErrorSpec } from '../spec.ts';
import { INTERNAL_ITEM, UNAVAILABLE } from './answers.ts';

/** What stops a command or the service. */
export const OPERATION_ERRORS = {
  'cli.usage': {
    title: 'The command line is wrong',
    cause: 'An unknown command or option, or a missing or wrong value; the message names it.',
    cure: 'See `proofgate help`.',
    retry: 'never',
    exit: 2,
  },
  'cli.refused': {
    title: 'The command was not confirmed',
    cause: 'A command that destroys asks first, and no --yes was given.',
    cure: 'Confirm it, or give --yes.',
    retry: 'never',
  },
  'config.invalid': {
    title: 'The configuration has faults',
    cause: 'The message lists each with key, variable, expected and found value and origin.',
    cure: 'Correct all of them; `proofgate config explain` shows what is in force.',
    retry: 'never',
    exit: 78,
  },
  'config.production_refused': {
    title: 'The production profile refuses to start',
    cause: 'The message lists each unsafe or missing setting.',
    cure: 'Correct all of them.',
    retry: 'never',
    exit: 78,
  },
  'config.exposed_development': {
    title: 'The development profile would face a network',
    cause: 'server.host is not a loopback address while made-up keys and test data are in use.',
    cure: 'Use profile production, a loopback host, or set server.allowExposedDevelopment.',
    retry: 'never',
    exit: 78,
  },
  'server.port_in_use': {
    title: 'The port is in use',
    cause: 'Another process listens there.',
    cure: 'Stop it, or choose another port; 0 takes a free one.',
    retry: 'later',
    exit: 75,
  },
  'server.locked': {
    title: 'Another server runs on this data folder',
    cause: 'A second `serve` on one folder would split limits and caches.',
    cure: 'Stop the other server, or give another dataDir.',
    retry: 'later',
    exit: 75,
  },
  'server.not_ready': {
    title: 'The service is not ready',
    cause: '/healthz answered 503 or not at all.',
    cure: 'See /health/ready on the admin listener.',
    retry: 'later',
  },
  'store.unreachable': {
    title: 'The store does not answer',
    cause: 'The database file cannot be opened or written, the disk is full, or the writer ended.',
    cure: 'Check path, permissions and free space; `proofgate doctor` names the cause.',
    retry: 'later',
    verify: UNAVAILABLE,
    verifyItem: INTERNAL_ITEM,
    exit: 69,
  },
  'store.failed': {
    title: 'The store refused a statement',
    cause: 'A statement failed for a reason that no retry changes; the log has it.',
    cure: 'Report it.',
    retry: 'never',
    verify: {
      status: 500,
      code: 'internal_error',
      detail: 'Internal server error.',
    },
    verifyItem: INTERNAL_ITEM,
  },
  'store.invalid_value': {
    title: 'A value cannot be stored',
    cause: 'Only text, finite numbers, big integers, bytes and null can be bound.',
    cure: 'Report it: it is a fault of ours.',
    retry: 'never',
  },
  'store.migrations_pending': {
    title: 'The store has not been migrated',
    cause: 'The program is newer than the tables, and production does not migrate by itself.',
    cure: 'Run `proofgate migrate up`, or start with --migrate.',
    retry: 'never',
    exit: 78,
  },
  'store.newer': {
    title: 'The store was migrated by a newer program',
    cause: 'The tables have a version that this program does not know, or a migration file changed.',
    cure: 'Run the newer program.',
    retry: 'never',
    exit: 78,
  },
} as const satisfies Record<string, ErrorSpec>;
