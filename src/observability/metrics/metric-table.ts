/** One metric: the source of its row in the docs and of its instrument in the registry. */
export interface MetricSpec {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Unit of the value. */
  readonly unit: string;
  /** Meaning, one sentence; the HELP line of the exposition. */
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of the buckets of a histogram; samples of the engine have their own. */
  readonly buckets?: readonly number[];
  /** A typical alert, in PromQL or words. */
  readonly alert: string;
}

/**
 * The one list of metrics. The wire name is `proofgate_` and the key in lower snake case:
 * `verifyRequestsTotal` is `proofgate_verify_requests_total`. Labels are bounded sets, never an id of a client.
 */
export const METRIC_TABLE = {
  httpRequestDurationSeconds: {
    type: 'histogram',
    unit: 'seconds',
    help: 'Time from the head of a request to the end of its answer.',
    labels: ['route', 'method', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    alert: 'p99 over 1 s for 10 minutes',
  },
  httpOpenExchanges: {
    type: 'gauge',
    unit: 'exchanges',
    help: 'Requests that are served: their body is whole, their answer is not given.',
    labels: ['listener'],
    alert: 'above 80 % of http.maxOpenExchanges for 1 minute',
  },
  httpUnfinishedExchanges: {
    type: 'gauge',
    unit: 'exchanges',
    help: 'Requests that wait for their client: for the rest of a body, or for an answer to be read.',
    labels: ['listener'],
    alert: 'above 80 % of http.maxUnfinished for 1 minute: somebody may be sending bodies slowly on purpose',
  },
  httpUnfinishedEndedTotal: {
    type: 'counter',
    unit: 'exchanges',
    help: 'Requests that waited for their client and were ended, by the bound that was reached (count, address_count, bytes, address_bytes).',
    labels: ['listener', 'bound'],
    alert: 'any: clients hold more than the bounds allow',
  },
  httpBodyBytes: {
    type: 'gauge',
    unit: 'bytes',
    help: 'Memory of request bodies, unfinished or being served.',
    labels: ['listener'],
    alert: 'above 80 % of http.maxBodyBytes for 1 minute',
  },
  httpConnections: {
    type: 'gauge',
    unit: 'connections',
    help: 'Open connections.',
    labels: ['listener'],
    alert: 'above 80 % of http.maxConnections for 1 minute',
  },
  httpConnectionsRefusedTotal: {
    type: 'counter',
    unit: 'connections',
    help: 'Connections that were ended as they opened, since their address has too many.',
    labels: ['listener'],
    alert: 'any: one address takes more than http.maxConnectionsPerAddress',
  },
  httpAcceptPausesTotal: {
    type: 'counter',
    unit: 'pauses',
    help: 'Times at which connections were no longer accepted, by reason (connections: too many are open; descriptors: the process has no free ones).',
    labels: ['listener', 'reason'],
    alert:
      'any: raise http.maxConnections or the descriptor limit, or limit connections in front of the service',
  },
  httpAbortedTotal: {
    type: 'counter',
    unit: 'exchanges',
    help: 'Requests whose client went away, or whose connection was refused, before an answer was finished.',
    labels: ['route', 'method'],
    alert: 'rate above 5 % of all requests',
  },
  verifyRequestsTotal: {
    type: 'counter',
    unit: 'requests',
    help: 'Verification requests by status, code (ok, reuse, or the error code of the answer), protocol version and kind of proofs (none for a body that is not well formed).',
    labels: ['status', 'code', 'protocol', 'kind'],
    alert: 'share of status 5xx above 1 % for 5 minutes',
  },
  verifyItemsTotal: {
    type: 'counter',
    unit: 'items',
    help: 'Items of verification requests by outcome (ok or the code of the item).',
    labels: ['identifier', 'environment', 'code', 'backend', 'protocol', 'kind'],
    alert: 'any internal_error',
  },
  verifyRootAgeSeconds: {
    type: 'histogram',
    unit: 'seconds',
    help: 'Age of the Merkle root that an item named, when it is registered; for the tree account the time since it was superseded.',
    labels: ['environment', 'tree', 'accepted'],
    // spec/verification.md#verification-metrics
    buckets: [60, 300, 900, 3600, 7200, 21600, 86400, 259200, 604800],
    alert: 'share of accepted="false" above 10 %: clients prove against old roots',
  },
  verifyNullifierReuseTotal: {
    type: 'counter',
    unit: 'requests',
    help: 'Verified requests whose nullifier was recorded before.',
    labels: ['environment'],
    alert: 'sudden rise: a relying party retries, or somebody tries to act twice',
  },
  verifyIntegrityBundleIgnoredTotal: {
    type: 'counter',
    unit: 'items',
    help: 'Requests that carried an integrity_bundle, which is ignored.',
    labels: ['environment'],
    alert: 'none; shows that a client expects a device check, which is not made',
  },
  verifyIntegrityTotal: {
    type: 'counter',
    unit: 'requests',
    help: 'Verification requests whose integrity_bundle was checked, by result (valid, absent, or the cause of the refusal).',
    labels: ['environment', 'result'],
    alert: 'any keys_unavailable; share of refusals among those with a bundle above 20 % for 15 minutes',
  },
  nullifierCommitRows: {
    type: 'histogram',
    unit: 'rows',
    help: 'Rows in one group commit of nullifiers.',
    labels: [],
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    alert: 'p50 at storage.groupMaxRows: the disk is the limit',
  },
  nullifierCommitSeconds: {
    type: 'histogram',
    unit: 'seconds',
    help: 'Duration of one group commit of nullifiers, to disk.',
    labels: [],
    buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5],
    alert: 'p99 above 0.1 s for 10 minutes',
  },
  tokenIssuedTotal: {
    type: 'counter',
    unit: 'tokens',
    help: 'Access tokens that were issued, by grant (authorization_code at /token, implicit at the front channel).',
    labels: ['grant'],
    alert: 'no increase at times of use: sign-ins fail',
  },
  codeReplayTotal: {
    type: 'counter',
    unit: 'codes',
    help: 'Authorization codes that came back after they were used; the access token of each is revoked.',
    labels: [],
    alert: 'any increase: a client retries, or somebody holds its codes',
  },
  clientAuthFailuresTotal: {
    type: 'counter',
    unit: 'requests',
    help: 'Failed authentications of clients by reason (no_credentials, unreadable_header, unknown_client, disabled_client, public_client, missing_secret, wrong_secret).',
    labels: ['reason'],
    alert: 'sustained wrong_secret: somebody guesses secrets, or a client uses a rotated secret',
  },
  bridgeMessagesTotal: {
    type: 'counter',
    unit: 'calls',
    help: 'Calls of the wallet bridge by status (post_request, head_request, get_request and so on).',
    labels: ['call', 'status'],
    alert: 'any status 503 for 5 minutes: the bridge is full, or the store is down',
  },
  bridgeEvictionsTotal: {
    type: 'counter',
    unit: 'messages',
    help: 'Messages of the wallet bridge that left before their time because strangers had filled it: the oldest of the network that held most.',
    labels: [],
    alert: 'any increase: somebody fills the bridge, or bridge.maxEntries and bridge.maxBytes are too low',
  },
  signinTransactionsTotal: {
    type: 'counter',
    unit: 'events',
    help: 'What became of sign-ins: begun, retried, completed, failed (an attempt), refused, cancelled; not begun for want of room: too_many, client_full, network_full.',
    labels: ['result'],
    alert: 'any too_many or client_full; share of failed among begun above 20 % for 15 minutes',
  },
  signinProofSeconds: {
    type: 'histogram',
    unit: 'seconds',
    help: 'Time from a decrypted answer to the outcome of its proof (accepted, failed, refused, busy).',
    labels: ['result'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    alert: 'any busy for 5 minutes: add workers, or a larger machine',
  },
  credentialsIssuedTotal: {
    type: 'counter',
    unit: 'credentials',
    help: 'Credentials that were issued, with or without a custody package.',
    labels: ['package'],
    alert: 'no increase at times of use: refreshes fail',
  },
  refreshRefusalsTotal: {
    type: 'counter',
    unit: 'requests',
    help: 'Refreshes that were refused, by the error name of the answer (DISABLED where it has none).',
    labels: ['package', 'error'],
    alert: 'any INTERNAL_ERROR; share of INVALID_PROOF above 20 % for 15 minutes',
  },
  keyAgeSeconds: {
    type: 'gauge',
    unit: 'seconds',
    help: 'Time that a published signing key has been in its state; of several retired keys the oldest counts.',
    labels: ['use', 'state'],
    alert: 'state="active" above keys.rotationPeriodSeconds + 3600: automatic rotation has stopped',
  },
  keyNextRotationSeconds: {
    type: 'gauge',
    unit: 'seconds',
    help: 'Time until a signing key leaves its state by itself; absent where rotation is off.',
    labels: ['use', 'state'],
    alert: 'below -600 for state="active": no process rotates',
  },
  rootsSourceLagSeconds: {
    type: 'gauge',
    unit: 'seconds',
    help: 'Time since the last block up to which the current root of a source is known.',
    labels: ['source'],
    alert: 'above staleAfterSeconds of the source',
  },
  rootsSourceRoundsTotal: {
    type: 'counter',
    unit: 'rounds',
    help: 'Rounds of a source by result (advanced, same, lost_race: another node was faster, failed).',
    labels: ['source', 'result'],
    alert: 'none with advanced or same for 10 minutes',
  },
  rootsSourceErrorsTotal: {
    type: 'counter',
    unit: 'errors',
    help: 'Failures of a source by cause, a code of the area roots.',
    labels: ['environment', 'tree', 'source', 'cause'],
    alert: 'any for 10 minutes; wrong_contract, reorg_too_deep and bad_key at once',
  },
  rootsProviderUp: {
    type: 'gauge',
    unit: 'providers',
    help: 'Whether a provider of a chain answers as it should: 1, else 0.',
    labels: ['chain', 'provider'],
    alert: '0 for 10 minutes',
  },
  rootsRpcSeconds: {
    type: 'histogram',
    unit: 'seconds',
    help: 'Time of a call to a provider, by its position in the list.',
    labels: ['chain', 'provider', 'method'],
    buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10],
    alert: 'p99 over 3 s for 10 minutes',
  },
  rootsRpcErrorsTotal: {
    type: 'counter',
    unit: 'calls',
    help: 'Calls to a provider that failed, by cause.',
    labels: ['chain', 'provider', 'cause'],
    alert: 'rate_limited or refused: check the plan of the provider',
  },
  rootsReorgsTotal: {
    type: 'counter',
    unit: 'reorganisations',
    help: 'Reorganisations that took back blocks which had been read.',
    labels: ['source'],
    alert: 'several a day: raise confirmations',
  },
  rootsDisagreementsTotal: {
    type: 'counter',
    unit: 'facts',
    help: 'Facts about which the providers of a chain contradicted each other.',
    labels: ['chain'],
    alert: 'any',
  },
  rootsMissTotal: {
    type: 'counter',
    unit: 'roots',
    help: 'Unknown roots of true proofs that a source was asked for, by result (found, unknown, timeout, refused: too many requests wait).',
    labels: ['source', 'result'],
    alert: 'timeout or refused above 1 % of the requests',
  },
  rootsBackfillBlocksLeft: {
    type: 'gauge',
    unit: 'blocks',
    help: 'Blocks of the look-back of a source that are still to be read.',
    labels: ['source'],
    alert: 'unchanged for 10 minutes',
  },
  rootsCurrentAgeSeconds: {
    type: 'gauge',
    unit: 'seconds',
    help: 'Time since the current root of a tree was received.',
    labels: ['environment', 'tree', 'source'],
    alert: 'above 86400 where a source delivers roots: the source stopped',
  },
  worldid4Keys: {
    type: 'gauge',
    unit: 'keys',
    help: 'Public keys of World ID 4.0: of issuers, and of the OPRF of relying parties.',
    labels: ['environment', 'table'],
    alert: 'fewer than before, where nobody removed a key: proofs of the others are refused',
  },
  engineQueueDepth: {
    type: 'gauge',
    unit: 'proofs',
    help: 'Proofs that wait for a worker.',
    labels: ['backend'],
    alert: 'above 80 % of engine.maxQueue for 1 minute',
  },
  engineQueueWaitSeconds: {
    type: 'histogram',
    unit: 'seconds',
    help: 'Time a proof waited before a worker took it.',
    labels: ['backend'],
    alert: 'p99 above 0.5 s for 5 minutes: add workers, or a larger machine',
  },
  engineBatchSize: {
    type: 'histogram',
    unit: 'proofs',
    help: 'Proofs in one batch.',
    labels: ['backend'],
    alert: 'none; large batches at high load are good',
  },
  engineBrokenBatchesTotal: {
    type: 'counter',
    unit: 'batches',
    help: 'Batches that a bad proof broke, so that their proofs cost more.',
    labels: ['backend'],
    alert: 'sustained rate: somebody sends invalid proofs',
  },
  engineWorkerRestartsTotal: {
    type: 'counter',
    unit: 'workers',
    help: 'Workers that ended unasked and were replaced.',
    labels: ['backend'],
    alert: 'any increase: look for engine.poison in the log',
  },
  engineBackendInfo: {
    type: 'gauge',
    unit: '1',
    help: 'Always 1; the labels name the backend and its arithmetic.',
    labels: ['backend', 'arithmetic'],
    alert: 'backend="wasm" where native is expected',
  },
  storeRows: {
    type: 'gauge',
    unit: 'rows',
    help: 'Rows per table.',
    labels: ['table'],
    alert: 'a table that is swept grows for a day',
  },
  storeRetriesTotal: {
    type: 'counter',
    unit: 'retries',
    help: 'Statements or commits that were tried again.',
    labels: ['operation'],
    alert: 'rate above 1 per second',
  },
  rateLimitedTotal: {
    type: 'counter',
    unit: 'requests',
    help: 'Requests refused by a rate limit.',
    labels: ['endpoint'],
    alert: 'sustained rate: an address sends too much, or a limit is too low',
  },
  errorsTotal: {
    type: 'counter',
    unit: 'answers',
    help: 'Error answers by endpoint and code of the error catalogue.',
    labels: ['endpoint', 'code'],
    alert: 'any internal.unforeseen',
  },
  eventLoopDelaySeconds: {
    type: 'gauge',
    unit: 'seconds',
    help: 'Delay of the event loop of the main thread since the last scrape.',
    labels: ['quantile'],
    alert: 'quantile="0.99" above 0.05 for 5 minutes',
  },
} as const;

/** Key of the metric table, camelCase of the wire name. */
export type MetricKey = keyof typeof METRIC_TABLE;

/** Prefix of every metric of this service. */
export const METRIC_PREFIX = 'proofgate_';

/** Returns the wire name of a metric: `proofgate_engine_queue_depth` for `engineQueueDepth`. */
export function metricName(key: MetricKey): string {
  return METRIC_PREFIX + key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
