import { INTERNAL_ITEM, REFRESH_UNAVAILABLE, SIGNIN_UNAVAILABLE, UNAVAILABLE } from '../spec.ts';

/** Errors that stop a command or the service. */
export const OPERATION_ERRORS = {
  'cli.usage': {
    title: 'The command line is wrong',
    cause: 'An unknown command or option, or a missing or wrong value; the message names it.',
    cure: 'See `proofgate help`.',
    retry: 'never',
    admin: 400,
    exit: 2,
  },
  'cli.refused': {
    title: 'The command was not confirmed',
    cause: 'A destructive command asks for confirmation, and --yes was not given.',
    cure: 'Confirm it, or give --yes.',
    retry: 'never',
  },
  'cli.server_unreachable': {
    title: 'The service that --server names does not answer',
    cause:
      'Nothing listens at the address, it does not answer in time, or its certificate is not trusted; the message has the code of the system.',
    cure: 'Check the address of the admin listener. For a certificate of an own authority, set NODE_EXTRA_CA_CERTS.',
    retry: 'later',
    exit: 69,
  },
  'cli.server_answer': {
    title: 'The service that --server names gave an answer that this program does not know',
    cause: 'Another service listens at the address, or one of a later release.',
    cure: 'Check the address of the admin listener, and use the program of the release of the service.',
    retry: 'never',
  },
  'rp.unusable_key': {
    title: 'The signing key of the relying party cannot be used',
    cause:
      'It is not 32 bytes in hex, it is 0 or not below the order of secp256k1, or other users can read its file; the message says which.',
    cure: 'Give the private key of the signer that is registered for the rp_id, in a file of mode 0600.',
    retry: 'never',
  },
  'init.refused': {
    title: 'The folder cannot take a configuration',
    cause: 'It holds one already, others may write to it, or it cannot be written.',
    cure: 'Name a folder that does not exist: `proofgate init production` makes it with mode 0700.',
    retry: 'never',
  },
  'config.invalid': {
    title: 'The configuration has faults',
    cause: 'The message lists each fault with key, variable, expected value, found value and origin.',
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
    title: 'The development profile would be exposed to a network',
    cause: 'server.host is not a loopback address while generated keys and test data are in use.',
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
  'http.library_unavailable': {
    title: 'No binary of uWebSockets.js loads',
    cause:
      'http.library is `uws`; the message says what each package lacks for this Node, libc and processor.',
    cure: 'Let http.library be `auto` or `node`, or install a package with a binary that fits.',
    retry: 'never',
    exit: 78,
  },
  'server.locked': {
    title: 'Another server runs on this data folder or database',
    cause:
      'A second `serve` on the same folder or database file would have limits and caches of its own, and a restore or a copy needs a store that nobody serves; the message names which of the two is shared. A database file is recognised through links.',
    cure: 'Stop the other server, or give another dataDir and another storage.url.',
    retry: 'later',
    exit: 75,
  },
  'node.keys_differ': {
    title: 'Another node of the same store has other keys',
    cause:
      'All nodes that share a store need the same keys.masterKey and apps.secretHmacKey; the message names the setting and a node that was seen in the last 30 seconds.',
    cure: 'Give all nodes the same keys, or stop the node that has others.',
    retry: 'never',
    exit: 78,
  },
  'server.not_ready': {
    title: 'The service is not ready',
    cause: '/healthz answered 503 or not at all.',
    cure: 'See /health/ready on the admin listener.',
    retry: 'later',
    admin: 503,
  },
  'store.unreachable': {
    title: 'The store does not answer',
    cause:
      'The database file cannot be opened or written, the disk is full, or the writer ended; with PostgreSQL, no server accepts connections and writes.',
    cure: 'Check path, permissions and free space, or the server; `proofgate doctor` names the cause.',
    retry: 'later',
    admin: 503,
    verify: UNAVAILABLE as typeof UNAVAILABLE,
    verifyItem: INTERNAL_ITEM as typeof INTERNAL_ITEM,
    exit: 69,
    signin: SIGNIN_UNAVAILABLE as typeof SIGNIN_UNAVAILABLE,
    refresh: REFRESH_UNAVAILABLE as typeof REFRESH_UNAVAILABLE,
  },
  'store.absent': {
    title: 'There is no store',
    cause:
      'Only `serve` and `migrate up` create one. The message names the missing file and the setting that decides its path, often a relative dataDir in another working directory.',
    cure: 'Run the command in the working directory of the service, or give it the same dataDir or storage.url; `proofgate migrate up` creates a new store.',
    retry: 'never',
    exit: 78,
  },
  'store.shared_schema': {
    title: 'Other roles can create objects in the schema of the store',
    cause:
      'A function or an operator that such a role of PostgreSQL plants there runs with the rights of the service, which makes the role an administrator of it. The message names the roles.',
    cure: 'Run the statements of the message as the owner of the schema or a superuser: they take the right away.',
    retry: 'never',
    exit: 78,
  },
  'store.not_a_file': {
    title: 'The store is not a file',
    cause:
      'storage.url names a PostgreSQL database; `backup` and `restore` copy the file of an embedded store.',
    cure: 'Use the tools of the database, such as pg_basebackup, continuous archiving or pg_dump.',
    retry: 'never',
  },
  'store.in_use': {
    title: 'The store is in use',
    cause:
      'Another process has the database open and would continue to use the replaced file, or nodes serve from it.',
    cure: 'Stop the servers and every command on this store, then run it again. `proofgate store copy --ahead` copies from a store in use.',
    retry: 'later',
    exit: 75,
  },
  'store.moved': {
    title: 'The store was moved to another one',
    cause:
      '`proofgate store copy` took it out of service: nullifiers that the other store accepts are not in this one.',
    cure: 'Name the other store in storage.url, run the copy again if it was not finished, or put this store back with `proofgate store reopen`.',
    retry: 'never',
    admin: 503,
    exit: 78,
  },
  'store.copy_unfinished': {
    title: 'The store is an unfinished copy',
    cause:
      '`proofgate store copy` has not copied everything: nullifiers that are missing would be accepted again.',
    cure: 'Run the copy again to its end, without --ahead.',
    retry: 'never',
    exit: 78,
  },
  'copy.target_in_service': {
    title: 'The target of the copy has rows of its own',
    cause:
      'Rows that the source does not have would be removed. A target must be empty, an unfinished copy of this source, or the store that was moved to this source before.',
    cure: 'Name an empty database or a new file.',
    retry: 'never',
  },
  'copy.taken_over': {
    title: 'Another process copies to the same store',
    cause: 'It began later, or has finished the copy.',
    cure: 'Let it finish.',
    retry: 'never',
  },
  'copy.differs': {
    title: 'The target differs from the source',
    cause: 'Something wrote to one of the stores during the copy; the message names the table.',
    cure: 'Stop every server and command on both stores, then run the copy again.',
    retry: 'later',
  },
  'copy.interrupted': {
    title: 'The copy was interrupted',
    cause: 'A signal ended it. Neither store can be served until it is finished, unless it was made --ahead.',
    cure: 'Run it again: it continues. `proofgate store reopen` puts the source back into service instead.',
    retry: 'later',
  },
  'backup.exists': {
    title: 'The file exists',
    cause:
      'Without --force, a backup does not overwrite a file, or use a name whose SQLite side files (such as -wal) exist.',
    cure: 'Choose another name, or give --force.',
    retry: 'never',
  },
  'backup.not_written': {
    title: 'The file could not be written',
    cause: 'Its folder is missing or not writable, or the disk is full; the message has the reason.',
    cure: 'Name a file in a folder that this user may write and that has room for the whole store.',
    retry: 'never',
  },
  'backup.damaged': {
    title: 'The file is not a whole store',
    cause:
      'It is not a database, another program made it, it is incomplete, or it was copied while a server wrote to it.',
    cure: 'Take another backup; make backups with `proofgate backup`.',
    retry: 'never',
  },
  'backup.interrupted': {
    title: 'The command was interrupted',
    cause: 'A signal ended it; nothing was changed.',
    cure: 'Run it again.',
    retry: 'later',
  },
  'store.failed': {
    title: 'The store refused a statement',
    cause: 'A statement failed for a reason that a retry does not change; the log has the reason.',
    cure: 'Report it.',
    retry: 'never',
    verify: {
      status: 500,
      code: 'internal_error',
      detail: 'Internal server error.',
    },
    verifyItem: INTERNAL_ITEM as typeof INTERNAL_ITEM,
  },
  'store.invalid_value': {
    title: 'A value cannot be stored',
    cause: 'Only text, finite numbers, big integers, bytes and null can be bound.',
    cure: 'Report it: it is an internal error.',
    retry: 'never',
  },
  'store.migrations_pending': {
    title: 'The store has not been migrated',
    cause: 'The program is newer than the tables, and production does not migrate automatically.',
    cure: 'Run `proofgate migrate up`, or start with --migrate.',
    retry: 'never',
    exit: 78,
  },
  'store.newer': {
    title: 'The store was migrated by a newer program',
    cause:
      'The tables were changed by a migration after which a program as old as this one cannot run, or a migration file changed.',
    cure: 'Run the newer program. The way back to this one is a backup from before the migration.',
    retry: 'never',
    exit: 78,
  },
  'tls.unreadable': {
    title: 'A TLS file cannot be used',
    cause: 'tls.certFile or tls.keyFile is missing, not readable, or they do not belong together.',
    cure: 'Give the PEM files of one certificate and its key, readable by the service.',
    retry: 'never',
    exit: 78,
  },
} as const;
