import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { masterKeyOf, previousMasterKeyOf } from '../../apps/secrets/master-key.ts';
import { secretKeyId, secretKeysOf } from '../../apps/secrets/secrets.ts';
import { type ClockOffset, clockOffset } from '../../clock-offset.ts';
import type { Config } from '../../config/settings/types.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Log } from '../../observability/log/log.ts';
import { LIVE_NODE_MS, type NodeState, type NodeStore } from '../../storage/nodes.ts';
import { buildVersion } from '../../version.ts';
import type { Part } from '../lifecycle.ts';

/** The record of this process among the nodes that share a store. */
export interface NodeRecord extends Part {
  /** Also reports this state from now on. */
  watch(state: () => NodeState): void;
  /** Removes the record. */
  stop(): Promise<void>;
  readonly health: { readonly clock: () => string };
}

/** Identity of a process. */
export interface NodeIdentity {
  readonly nodeId: string;
  /** Release of the service. */
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** Dependencies of `joinNodes`. */
export interface NodeParts {
  readonly node: NodeIdentity;
  readonly config: Pick<Config, 'profile' | 'dataDir' | 'keys' | 'apps'>;
  readonly nodes: NodeStore;
  readonly log: Pick<Log, 'warn'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const REPORT_INTERVAL_MS = LIVE_NODE_MS / 3;
const CLOCK_INTERVAL_MS = 60_000;
const WARN_OFFSET_MS = 1000;
const MAX_OFFSET_MS = 30_000;

/** Returns the identity of this process. @param startedAt - Milliseconds since the epoch. */
export function identifyNode(startedAt: number): NodeIdentity {
  const nodeId = `${hostname()}-${randomBytes(4).toString('hex')}`;
  return { nodeId, version: buildVersion(), startedAt };
}

/**
 * Records this process among the nodes of a store until it stops, after a check that they share their keys, and
 * compares its clock with that of the store.
 *
 * @throws ServiceError `node.keys_differ`
 */
export async function joinNodes({ node, config, nodes, log, now }: NodeParts): Promise<NodeRecord> {
  let stateOf: (() => NodeState) | undefined;
  const keyIds = keyIdsOf(config);
  await refuseOtherKeys(nodes, keyIds, node.startedAt);
  const report = (): Promise<void> =>
    nodes.report({ ...node, keyIds: keyIds.flat(), seenAt: now(), state: stateOf?.() ?? null });
  const measure = async (): Promise<ClockOffset> => {
    const found = await clockOffset(now, () => nodes.time());
    if (found.exceeds(WARN_OFFSET_MS)) {
      log.warn(`the clock of this node is ${found.offsetMs} ms ahead of that of the store`, {
        event: 'node.clock_offset',
      });
    }
    return found;
  };
  let offset = await measure();
  await report();
  // Health checks report an unreachable store.
  const every = (ms: number, work: () => Promise<void>): NodeJS.Timeout =>
    setInterval(() => void work().catch(() => undefined), ms).unref();
  const timers = [
    every(REPORT_INTERVAL_MS, report),
    every(CLOCK_INTERVAL_MS, async () => {
      offset = await measure();
    }),
  ];
  return {
    name: 'node record',
    health: {
      clock() {
        if (offset.exceeds(MAX_OFFSET_MS)) {
          throw new Error(`the clock of this node is ${offset.offsetMs} ms ahead of that of the store`);
        }
        return `${offset.offsetMs} ms ahead of the store`;
      },
    },
    watch(state) {
      stateOf = state;
      void report().catch(() => undefined);
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await nodes.remove(node.nodeId).catch(() => undefined);
    },
  };
}

/** Ids of the keys that nodes must share: for each kind the current one, then former ones still in use. */
function keyIdsOf(config: NodeParts['config']): readonly [master: string[], secret: string[]] {
  const idsOf = (name: string, ...keys: readonly (Uint8Array | undefined)[]): string[] =>
    keys.flatMap((key) => (key === undefined ? [] : [`${name}:${secretKeyId(key)}`]));
  const { current, former } = secretKeysOf(config);
  return [
    idsOf('master', masterKeyOf(config), previousMasterKeyOf(config)),
    idsOf('secret', current, ...former),
  ];
}

/** Whether one of two nodes has the current key of the other; both lists begin with the current key. */
function isShared(own: readonly string[], theirs: readonly string[]): boolean {
  return own.some((id) => id === theirs[0]) || theirs.some((id) => id === own[0]);
}

async function refuseOtherKeys(
  nodes: NodeStore,
  [master, secret]: ReturnType<typeof keyIdsOf>,
  now: number,
): Promise<void> {
  const others = (await nodes.list()).filter(({ seenAt }) => now - seenAt < LIVE_NODE_MS);
  for (const { nodeId, keyIds } of others) {
    for (const [setting, own] of [
      ['keys.masterKey', master],
      ['apps.secretHmacKey', secret],
    ] as const) {
      const [kind = ''] = own[0]?.split(':') ?? [];
      if (
        isShared(
          own,
          keyIds.filter((id) => id.startsWith(`${kind}:`)),
        )
      )
        continue;
      throw new ServiceError(
        'node.keys_differ',
        `${setting}: node ${nodeId}, which shares this store, has another one`,
        { path: setting },
      );
    }
  }
}
