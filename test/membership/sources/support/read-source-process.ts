import { setTimeout as delay } from 'node:timers/promises';
import { Chain } from '../../../../src/chain/chain.ts';
import { Provider } from '../../../../src/chain/provider/provider.ts';
import { createRpcClient } from '../../../../src/chain/rpc/rpc-client.ts';
import type { ChainSource } from '../../../../src/config/roots/source-types.ts';
import { SourceKeys } from '../../../../src/membership/sources/reader/source-keys.ts';
import { SourceReader } from '../../../../src/membership/sources/reader/source-reader.ts';
import { openStore } from '../../../../src/storage/open-store.ts';

// node read-source-process.ts <store url> <source as JSON> <provider url> <time>: runs rounds of the source until it is
// killed or its input ends, on a clock that begins at the time. By calls of the method `test_commit`, and waiting for their
// answers, it tells the provider of each commit before and after it, and whether it has rows besides the state.

const POLL_MS = 2;
const LIMITS = { timeoutMs: 60_000, maxResponseBytes: 1_048_576 };

const [url = '', text = '', providerUrl = '', beginsAt = ''] = process.argv.slice(2);
const source = JSON.parse(text) as ChainSource;
const { chainId } = source;
const now = (): number => Number(beginsAt) + Math.trunc(performance.now());
// Requests are not paced.
const sleep = async (): Promise<void> => undefined;
const client = createRpcClient(providerUrl, LIMITS);
const provider = new Provider({
  client,
  index: 0,
  chainId,
  now,
  sleep,
  random: () => 0,
  observe: () => undefined,
});
const chain = new Chain({
  chainId,
  providers: [provider],
  quorum: 1,
  now,
  sleep,
  onDisagreement: () => undefined,
});
const store = await openStore({ url, groupMaxRows: 512, groupMaxDelayMs: 0, timeoutMs: 20_000 });
const { roots, rootSources } = store;
const keys = new SourceKeys({
  source,
  chain,
  now,
  keys: store.worldId4Keys,
  apps: { list: async () => [] },
  issuerIds: [],
  refreshMs: Number.MAX_SAFE_INTEGER,
  onBadKey: () => undefined,
});
const reader = new SourceReader({
  source,
  chain,
  keys,
  now,
  sleep,
  store: {
    roots,
    rootSources: {
      ...rootSources,
      async commit(change) {
        const { events, lives, withdrawn } = change;
        const hasRows = [events, lives, withdrawn].some(({ length }) => length > 0);
        await client.call('test_commit', ['before', hasRows]);
        const isCommitted = await rootSources.commit(change);
        await client.call('test_commit', ['after']);
        return isCommitted;
      },
    },
  },
  onReorg: () => undefined,
});
process.stdin.on('end', () => process.exit(0)).resume();
for (;;) {
  // A round that a reorganisation ends is run again.
  await reader.round().catch(() => undefined);
  await delay(POLL_MS);
}
