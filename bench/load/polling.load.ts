import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { median } from '../report/statistics.ts';
import type { Case } from '../report/types.ts';
import type { Suite, SuiteContext } from '../suite.ts';
import { type Child, startChild } from '../support/child.ts';
import { OUTSTANDING } from './engine-verify.load.ts';
import type { ChainProviders, ProviderUrls } from './http/chain-providers.ts';
import { type HttpFigures, startHttpTarget } from './http/http-target.ts';
import { WORLDID4_VARIABLES } from './http/worldid4-target.ts';
import { httpCase, type Load } from './http-verify.load.ts';
import { type Place, places } from './places.ts';
import { cpuTime } from './processes/process-cpu.ts';
import { inRounds, type LoadResult } from './rounds.ts';

const LOAD: Load = { proofs: 1, connections: OUTSTANDING };
const CHAINS = {
  manager: '0x00000000000000000000000000000000000000a1',
  registry: '0x00000000000000000000000000000000000000a2',
  providers: 3,
};
/** Runs of each server: the difference is small, so that it takes more of them than in other suites. */
const RUNS = { smoke: 1, quick: 8, full: 16 };
const FIRST_RATE = 10_000;
/** More than the longest interval; in a smoke run more than the shortest. */
const IDLE_MS = { smoke: 5000, quick: 20_000, full: 60_000 };

/** Figures of a run, and the cores that the server uses without load. */
interface PollingFigures extends HttpFigures {
  readonly idleCores: number;
  readonly callsPerSecond: number;
}

/** Returns the configuration of two sources with the intervals of the presets. */
function sourcesOf({ ethereum, worldchain }: ProviderUrls): string {
  const common = { environment: 'staging', startBlock: 0 };
  const sources = [
    {
      id: 'orb',
      kind: 'identity-manager',
      tree: 'orb',
      chainId: 1,
      rpc: 'ethereum',
      ...common,
      contract: CHAINS.manager,
      pollSeconds: 15,
    },
    {
      id: 'account',
      kind: 'registry4',
      tree: 'account',
      chainId: 480,
      rpc: 'worldchain',
      ...common,
      contract: CHAINS.registry,
      issuers: CHAINS.registry,
      oprfKeys: CHAINS.registry,
      pollSeconds: 4,
    },
  ];
  return JSON.stringify({ roots: { sources, rpc: { ethereum, worldchain } } });
}

/** Runs one server from its start to its end, so that the other one does nothing meanwhile. */
async function runServer(
  folder: string,
  place: Place,
  chain: Child<ChainProviders>,
  urls: ProviderUrls | undefined,
  { budget }: SuiteContext,
): Promise<PollingFigures> {
  mkdirSync(folder, { mode: 0o700 });
  const configFile = join(folder, 'sources.json');
  if (urls !== undefined) writeFileSync(configFile, sourcesOf(urls));
  const target = await startHttpTarget(
    {
      backend: 'native',
      workers: place.workers,
      variables: WORLDID4_VARIABLES,
      ...(place.server === undefined ? {} : { cores: place.server }),
      ...(urls === undefined ? {} : { configFile }),
    },
    folder,
    place.client,
  );
  try {
    const warmUp = { warmUpMs: 0, windowMs: budget.serverWarmUpMs, windows: 1 };
    await target.run({ ...LOAD, expectedRate: FIRST_RATE, plan: warmUp });
    const figures = await target.run({
      ...LOAD,
      expectedRate: FIRST_RATE,
      plan: { ...budget, windows: budget.httpWindows },
    });
    const { pid } = target.server;
    const [before, callsBefore, began] = [
      cpuTime(pid),
      await chain.call('calls', undefined),
      performance.now(),
    ];
    await pause(IDLE_MS[budget.mode]);
    const seconds = (performance.now() - began) / 1000;
    const calls = (await chain.call('calls', undefined)) - callsBefore;
    if (calls > 0 !== (urls !== undefined)) throw new Error(`expected calls only with sources, got ${calls}`);
    return {
      ...figures,
      idleCores: (cpuTime(pid).all - before.all) / seconds,
      callsPerSecond: calls / seconds,
    };
  } finally {
    await target.stop();
  }
}

/** Verification over HTTP by a server whose two root sources poll three providers each, and by one without sources. */
export const polling: Suite = {
  name: 'polling',
  async run(context): Promise<Case[]> {
    const { budget, folder } = context;
    const place = places().at(-1) as Place;
    const chain = startChild<ChainProviders>(new URL('./http/chain-providers.ts', import.meta.url), {});
    try {
      const urls = await chain.call('start', CHAINS);
      const contenders = [undefined, urls];
      const kept = contenders.map((): PollingFigures[] => []);
      let started = 0;
      const results = await inRounds(
        contenders.map((sources, index) => async () => {
          const run = join(folder, `polling-${started++}`);
          const figures = await runServer(run, place, chain, sources, context);
          kept[index]?.push(figures);
          return figures;
        }),
        RUNS[budget.mode],
      );
      return contenders.map((sources, index) => {
        const runs = kept[index] ?? [];
        const common = httpCase(
          'http.verify-polling',
          place,
          'native',
          LOAD,
          results[index] as LoadResult,
          runs,
        );
        return {
          ...common,
          parameters: { ...common.parameters, sources: sources === undefined ? 0 : 2 },
          figures: {
            ...common.figures,
            idle_cores: median(runs.map(({ idleCores }) => idleCores)),
            provider_calls_per_s: median(runs.map(({ callsPerSecond }) => callsPerSecond)),
          },
        };
      });
    } finally {
      await chain.stop();
    }
  },
};
