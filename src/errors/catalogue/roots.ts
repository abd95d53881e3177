/** Failures of sources of roots (spec/roots.md#failures). Callers of the verification interface never see them. */
export const ROOTS_ERRORS = {
  'roots.source_unknown': {
    title: 'No source of roots with this id',
    cause: 'The id is not one of roots.sources, and the store has no state under it.',
    cure: 'See `proofgate roots sources list`.',
    retry: 'never',
    admin: 404,
  },
  'roots.managed': {
    title: 'The tree has a source',
    cause:
      'A source of roots keeps the tree, its issuers and OPRF keys current; what an operator adds would be overwritten.',
    cure: 'Add a past root with --superseded-at, or take the source out of roots.sources.',
    retry: 'never',
    admin: 409,
  },
  'roots.chain_mismatch': {
    title: 'A provider serves another chain',
    cause: 'Its chain id is not that of the source.',
    cure: 'Correct the URL in roots.rpc; the provider is not asked until the service starts again.',
    retry: 'never',
  },
  'roots.contract_missing': {
    title: 'There is no contract at the address',
    cause: 'The providers agree that the address has no code.',
    cure: 'Correct the address of the source, or the chain of its providers.',
    retry: 'never',
  },
  'roots.wrong_contract': {
    title: 'The contract is of another kind',
    cause: 'A function of the source is missing there, or returns something else.',
    cure: 'Correct kind and address of the source; see `proofgate roots sources check`.',
    retry: 'never',
  },
  'roots.depth_mismatch': {
    title: 'The tree of the contract has another depth',
    cause: 'The verifying key is for trees of depth 30.',
    cure: 'Correct the address of the source.',
    retry: 'never',
  },
  'roots.quorum_missing': {
    title: 'Too few providers agree',
    cause: 'Fewer providers than roots.quorum gave the same answer.',
    cure: 'See the state of the providers in `proofgate roots sources list`; the registry keeps answering.',
    retry: 'later',
  },
  'roots.disagreement': {
    title: 'Providers contradict each other',
    cause: 'They gave different answers about the same block, and no quorum shares one.',
    cure: 'Find out which of them is wrong with `proofgate roots sources check --providers`.',
    retry: 'later',
  },
  'roots.incomplete': {
    title: 'The logs do not lead to the current root',
    cause: 'A change is missing in the logs, as if the provider had not seen all blocks.',
    cure: 'It is tried again; if it stays, check the address of the source and the providers.',
    retry: 'later',
  },
  'roots.range_too_small': {
    title: 'Providers refuse the logs of a single block',
    cause: 'The answer for one block is larger than they send.',
    cure: 'Use another provider for this chain.',
    retry: 'never',
  },
  'roots.rate_limited': {
    title: 'Providers refuse because of their rate limit',
    cause: 'The plan of the provider allows fewer requests.',
    cure: 'Raise pollSeconds of the source, or use another plan or provider.',
    retry: 'later',
  },
  'roots.refused': {
    title: 'Providers refuse the key',
    cause: 'They answered 401 or 403.',
    cure: 'Correct the key in roots.rpc.',
    retry: 'never',
  },
  'roots.unreachable': {
    title: 'Providers do not answer',
    cause: 'The connection failed, or took longer than roots.rpcTimeoutMs.',
    cure: 'Check the way out of this machine; the registry keeps answering.',
    retry: 'later',
  },
  'roots.bad_response': {
    title: 'Providers answer something else',
    cause: 'The answer is not what JSON-RPC and the method require.',
    cure: 'Check the URL in roots.rpc.',
    retry: 'later',
  },
  'roots.head_stale': {
    title: 'The chain stands still',
    cause: 'The newest block of the providers is old.',
    cure: 'Compare with other sources of the chain; the registry keeps answering.',
    retry: 'later',
  },
  'roots.clock': {
    title: 'The clock differs from the chain',
    cause: 'The time of the newest block is more than 120 s from that of this machine.',
    cure: 'Check the clock of this machine.',
    retry: 'never',
  },
  'roots.reorg_too_deep': {
    title: 'The chain changed far below its head',
    cause: 'A block that was read more than 7,200 blocks ago is another now.',
    cure: 'Make sure of the providers, then `proofgate roots sources reset ID --yes`.',
    retry: 'never',
  },
  'roots.bad_key': {
    title: 'A key on the chain is unsafe',
    cause:
      'The point is not on BabyJubJub, or not in its subgroup of prime order, so signatures under it could be forged.',
    cure: 'Report it to the operator of the registry; the key is not used.',
    retry: 'never',
    admin: 409,
  },
  'roots.config': {
    title: 'Another node has other settings of this source',
    cause: 'The state in the store is that of another contract.',
    cure: 'Give all nodes the same roots.sources, and start them again.',
    retry: 'never',
  },
  'roots.feed_invalid': {
    title: 'The feed of roots has a bad line',
    cause: 'The message names the line.',
    cure: 'Correct the feed; nothing of it was stored.',
    retry: 'later',
  },
} as const;
