/** What stops the commands that make proofs for development. */
export const DEVELOPMENT_ERRORS = {
  'development.only': {
    title: 'Not in production',
    cause: 'The command makes proofs under a key that anyone can forge for, and the profile is production.',
    cure: 'Run it in the profile development.',
    retry: 'never',
  },
  'circuit.not_built': {
    title: 'The circuit is not built',
    cause: 'Witness code and proving key are not part of the program; they are made on each machine.',
    cure: 'Run `proofgate circuits setup` (about 3 minutes, once).',
    retry: 'never',
  },
  'circuit.tools_missing': {
    title: 'The tools that build the circuit are not installed',
    cause:
      'circom2, circomlib and snarkjs are development dependencies; an installation for production has none.',
    cure: 'Run `npm install` in the folder of the program, then the command again.',
    retry: 'never',
  },
  'circuit.compiler_failed': {
    title: 'The circuit compiler failed',
    cause: 'The message has what the compiler wrote.',
    cure: 'Correct the circuit; where it is as committed, install the packages again.',
    retry: 'never',
  },
  'circuit.fingerprint_differs': {
    title: 'The setup made another verifying key than the committed one',
    cause: 'The circuit or a tool changed, and circuits/dev-depth30 did not follow.',
    cure: 'See circuits/semaphore/README.md, "After a change"; `--force` builds again.',
    retry: 'never',
  },
} as const;
