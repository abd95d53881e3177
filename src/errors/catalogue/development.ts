/** Errors of the commands that make proofs for development, of the demo and of the development wallet. */
export const DEVELOPMENT_ERRORS = {
  'development.only': {
    title: 'Not in production',
    cause:
      'The command makes proofs under a key for which anyone can forge proofs, and the profile is production.',
    cure: 'Run it in the profile development.',
    retry: 'never',
  },
  'development.invalid_commitment': {
    title: 'The value is not an identity commitment',
    cause: 'It is 0, which is the empty leaf, or not below the scalar order r.',
    cure: 'Give Poseidon(Poseidon(nullifier, trapdoor)) as 0x and hex digits.',
    retry: 'never',
  },
  'development.tree_full': {
    title: 'The development tree is full',
    cause: 'A tree of depth 30 has 2^30 leaves.',
    cure: 'Use another data folder.',
    retry: 'never',
  },
  'development.no_person': {
    title: 'There is no such person in the tree',
    cause: 'Only a person of the development profile who is in the tree can make a proof.',
    cure: 'Run `proofgate dev person create`; `proofgate dev person list` shows who is there.',
    retry: 'never',
  },
  'development.no_seed': {
    title: 'The state for World ID 4.0 proofs of development is absent',
    cause:
      'The environment staging has no current root for the key trapdoor-15, no key of the issuer, or no OPRF key of the app.',
    cure: 'Run `proofgate dev worldid4 seed`; repeat it after an app was added or got another rp_id.',
    retry: 'never',
    signin: {
      status: 404,
      error: 'invalid_request',
      code: 'not_found',
      text: 'staging has no root, issuer key or OPRF key for this app. Run: npx proofgate dev worldid4 seed',
    },
  },
  'circuit.prover_failed': {
    title: 'The prover did not make a valid proof',
    cause:
      'The witness code or the proving key is damaged, or belongs to a verifying key other than dev-depth30.',
    cure: 'Build them again: `proofgate circuits setup --force`.',
    retry: 'never',
  },
  'circuit.not_built': {
    title: 'The circuit is not built',
    cause: 'Witness code and proving key are not part of the program; they are made on each machine.',
    cure: 'Run `proofgate circuits setup` (some seconds, once); in the profile development the service builds it automatically.',
    retry: 'never',
    signin: {
      status: 404,
      error: 'invalid_request',
      code: 'not_found',
      text: 'The development circuit is not built. Run: proofgate circuits setup',
    },
  },
  'circuit.tools_missing': {
    title: 'The tools that build the circuit are not installed',
    cause:
      'circom2, circomlib and the prover snarkjs are development dependencies; an installation for production has none of them.',
    cure: 'Run `npm install` in the folder of the program, then the command again.',
    retry: 'never',
  },
  'circuit.compiler_failed': {
    title: 'The circuit compiler failed',
    cause: 'The message has the output of the compiler.',
    cure: 'Correct the circuit; if it is unchanged, install the packages again.',
    retry: 'never',
  },
  'circuit.setup_failed': {
    title: 'The setup of the circuit failed',
    cause: 'A file could not be written, or the constraints cannot be used; the message has the reason.',
    cure: 'Correct what it names, then run `proofgate circuits setup`.',
    retry: 'never',
  },
  'circuit.fingerprint_differs': {
    title: 'The setup made a verifying key that differs from the committed one',
    cause: 'The circuit or a tool changed, and circuits/dev-depth30 was not updated.',
    cure: 'See circuits/semaphore/README.md, "After a change"; `--force` builds again.',
    retry: 'never',
  },
  'login_demo.unreachable': {
    title: 'The service of the demo sign-in does not answer',
    cause: 'Nothing listens at the address, or it does not answer in time.',
    cure: 'Start it with `npm start` or `proofgate serve`, or give its address with --base-url.',
    retry: 'later',
    exit: 69,
  },
  'login_demo.no_client': {
    title: 'The service does not know the demo',
    cause:
      'It runs in production, where there is no demo, or the client was disabled or removed since its start. The bindings paired and session have clients of their own, only while verify.worldid4.enabled is on.',
    cure: 'Run the service in the profile development, for World ID 4.0 with PROOFGATE_VERIFY_WORLDID4_ENABLED=true; the clients are registered when it starts.',
    retry: 'never',
  },
  'login_demo.failed': {
    title: 'The demo sign-in did not go as expected',
    cause: 'The service sent an unexpected answer; the message has the step and the answer.',
    cure: 'Run service and command with the same data folder and baseUrl; the log of the service may say more.',
    retry: 'never',
  },
  'approve.unreachable': {
    title: 'The wallet bridge of the sign-in does not answer',
    cause: 'Nothing listens at the address that the link names, or it does not answer in time.',
    cure: 'Start the service, and give the link of a sign-in that it shows now.',
    retry: 'later',
    exit: 69,
  },
  'approve.request_gone': {
    title: 'The request of the sign-in is gone',
    cause: 'It expired, or a wallet has already fetched or answered it: a request can be fetched once.',
    cure: 'Start the sign-in again, or choose "Try again" on its page, and give the new link.',
    retry: 'never',
  },
  'approve.failed': {
    title: 'The sign-in could not be answered',
    cause: 'The key of the link does not decrypt the request, or the bridge sent an unexpected answer.',
    cure: 'Give the whole link, in quotes, as the sign-in page shows it.',
    retry: 'never',
  },
  'approve.refused': {
    title: 'The development wallet refused the request',
    cause:
      'The request is malformed, too old, of another environment, or asks for what the person does not have; the message has the code that the app received.',
    cure: 'Correct what the message names and start a new request, or answer as another person. After `nullifier_replayed`, answer with another `--installation` or with `--recover`.',
    retry: 'never',
  },
  'wallet.invalid_request': {
    title: 'The call of the wallet page is malformed',
    cause: 'A member or parameter is missing or malformed; detail and attribute name it.',
    cure: 'Correct what attribute names. If the page itself made the call, reload it.',
    retry: 'never',
    signin: { status: 400, error: 'invalid_request', code: 'invalid_request' },
  },
  'wallet.not_enrolled': {
    title: 'The commitment is not in this tree',
    cause: 'The commitment was not enrolled in the requested development tree.',
    cure: 'Enrol it: on the wallet page, or with `proofgate dev person create`.',
    retry: 'never',
    signin: {
      status: 404,
      error: 'invalid_request',
      code: 'not_found',
      text: 'The commitment is not enrolled in this tree.',
    },
  },
  'wallet.snarkjs_missing': {
    title: 'snarkjs is not installed',
    cause:
      'The wallet page proves with the browser file of the development package snarkjs, which is absent.',
    cure: 'Run `npm install` in the folder of the program.',
    retry: 'never',
    signin: {
      status: 404,
      error: 'invalid_request',
      code: 'not_found',
      text: 'The package snarkjs is not installed. Run: npm install',
    },
  },
  'page.not_built': {
    title: 'The browser code of the pages is not built',
    cause: 'The folder dist/client lacks a file that a page loads.',
    cure: 'Run `npm run build`; `npm start` does so automatically.',
    retry: 'never',
    exit: 78,
  },
} as const;
