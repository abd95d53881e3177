/**
 * The check of holder proofs over a real store in its own folder, its outcomes, and the holder proofs of the
 * credential vectors.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../../../src/config/settings/types.ts';
import { loadConfig } from '../../../../src/config/sources/load.ts';
import type { Engine } from '../../../../src/engine/engine.ts';
import { createKeyRegistry } from '../../../../src/membership/keys/key-registry.ts';
import { type Challenges, createChallenges } from '../../../../src/refresh/holder/challenges.ts';
import {
  createHolderCheck,
  type HolderCheck,
  type HolderCheckOptions,
  type HolderCheckParts,
} from '../../../../src/refresh/holder/check-holder-proof.ts';
import type { HolderProof } from '../../../../src/refresh/holder/decode-proof-header.ts';
import type { Store } from '../../../../src/storage/store.ts';
import type { TestHolder } from '../../../support/refresh/holder.ts';
import { environmentOf } from '../../../support/server/environment-of.ts';
import { openMigratedStore } from '../../../support/server/migrated-store.ts';
import vectors from '../../../vectors/credential-vectors.json' with { type: 'json' };

/** A complete header under trapdoor-4, with the request that it is for. */
export const HEADER: typeof vectors.x_zkp_proof_header = vectors.x_zkp_proof_header;
/** Authentication proofs under three keys, with the pre-images of their inputs. */
export const AUTHENTICATION_PROOFS: typeof vectors.authentication_proofs = vectors.authentication_proofs;

/** Returns undefined if the check passes, else code, check number and rule of its refusal. */
export async function outcome(
  { check }: HolderNode,
  proof: HolderProof,
  holder: TestHolder,
  options: HolderCheckOptions = WAITING,
): Promise<unknown> {
  return await check.check(proof, holder, options).then(
    () => undefined,
    ({ code, details }) => [code, details.check, details.rule],
  );
}

/** Returns the `outcome` of a proof that a rule refuses. */
export const invalid = (rule: string): unknown => ['refresh.proof_invalid', 9, rule];

/** Initial time of a folder's clock, in milliseconds since the epoch: half a second into a minute. */
export const START = 1_800_000_000_500;

/** A node that shares the store of its folder. */
export interface HolderNode {
  readonly config: Config;
  readonly check: HolderCheck;
  readonly challenges: Challenges;
}

/** How a node differs from the default. */
export interface NodeOptions {
  readonly settings?: Readonly<Record<string, string>>;
  /** Parts that replace the real ones. */
  readonly parts?: Partial<HolderCheckParts>;
}

export interface HolderFolder {
  readonly store: Store;
  readonly now: () => number;
  /** Advances the clock. */
  advance(milliseconds: number): void;
  /** Makes a node in profile `test` under trapdoor-4. */
  node(engine: Engine, options?: NodeOptions): Promise<HolderNode>;
  /** Opens another connection to the store, like another process; it is closed with the folder. */
  openStore(): Promise<Store>;
  remove(): Promise<void>;
}

/** Options of a check whose caller still waits. */
export const WAITING: HolderCheckOptions = { source: '192.0.2.1', signal: new AbortController().signal };

/** Makes a folder with a migrated store. */
export async function makeHolderFolder(): Promise<HolderFolder> {
  const dataDir = await mkdtemp(join(tmpdir(), 'proofgate-holder-'));
  let time = START;
  const now = (): number => time;
  const configOf = async (settings: Readonly<Record<string, string>>): Promise<Config> => {
    const given = { profile: 'test', dataDir, 'refresh.verificationKey': 'trapdoor-4', ...settings };
    return (await loadConfig({ env: environmentOf(given), cwd: dataDir })).config;
  };
  const { storage } = await configOf({});
  const stores: Store[] = [];
  const open = async (): Promise<Store> => {
    const store = await openMigratedStore(storage);
    stores.push(store);
    return store;
  };
  const store = await open();
  return {
    store,
    now,
    advance(milliseconds) {
      time += milliseconds;
    },
    async node(engine, { settings = {}, parts = {} } = {}) {
      const config = await configOf(settings);
      const { refreshGuards: guards, verifyingKeys } = store;
      const keys = createKeyRegistry({ engine, store, profile: config.profile, bindings: {} });
      const own = { engine, keys, store: verifyingKeys, config, guards, now };
      return {
        config,
        check: createHolderCheck({ ...own, ...parts }),
        challenges: createChallenges({ guards, config, now }),
      };
    },
    openStore: open,
    async remove() {
      for (const one of stores) await one.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
