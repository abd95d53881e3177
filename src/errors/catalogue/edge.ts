/**
 * Faults of TLS files, and of the address that the service is reached at (spec/operations.md#proxy-and-tls).
 */
export const EDGE_ERRORS = {
  'tls.unreadable': {
    title: 'A TLS file cannot be used',
    cause: 'tls.certFile or tls.keyFile is missing, not readable, or they do not belong together.',
    cure: 'Give the PEM files of one certificate and its key, readable by the service.',
    retry: 'never',
    exit: 78,
  },
} as const;
