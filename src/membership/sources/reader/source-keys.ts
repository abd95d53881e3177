import { isEqual } from '../../../bytes.ts';
import type { Chain } from '../../../chain/chain.ts';
import type { Block, CallResult, Log } from '../../../chain/rpc/answers.ts';
import type { ChainSource } from '../../../config/roots/source-types.ts';
import { isServiceError, ServiceError } from '../../../errors/service-error.ts';
import type { AppStore } from '../../../storage/apps/apps.ts';
import type { IssuerKey4Row, OprfKey4Row, WorldId4KeyStore } from '../../../storage/worldid4-keys.ts';
import { checkKeyPoint } from '../../worldid4/key-kinds.ts';
import { argument, KEY_EVENTS, type KeyTable, wordOf } from './contracts.ts';

/** Keys to write, a removed one with the time of its removal. */
export interface KeyRows {
  readonly issuers: readonly IssuerKey4Row[];
  readonly oprfKeys: readonly OprfKey4Row[];
}

/** Ids whose keys are to be read. */
export interface KeyIds {
  readonly issuers: ReadonlySet<bigint>;
  readonly oprfKeys: ReadonlySet<bigint>;
}

/** Dependencies of `SourceKeys`. */
export interface SourceKeysParts {
  readonly source: ChainSource;
  readonly chain: Chain;
  readonly keys: Pick<WorldId4KeyStore, 'listIssuers' | 'listOprfKeys'>;
  readonly apps: Pick<AppStore, 'list'>;
  /** Relying party of sign-in, if there is one. */
  readonly signinRpId?: string | undefined;
  /** Accepted issuers in the environment of the source, as decimal numbers. */
  readonly issuerIds: readonly string[];
  readonly refreshMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called for each key that is not used, with the reason. */
  readonly onBadKey: (table: KeyTable, id: bigint, reason: string) => void;
}

/** `issuerSchemaIdToPubkey(uint64)` and `getOprfPublicKey(uint160)`. */
export const KEY_SELECTORS: Readonly<Record<KeyTable, string>> = {
  issuers: '0x94db8bd2',
  oprfKeys: '0x7488e8e7',
};
/** Coordinates of a key. */
type KeyPoint = Pick<IssuerKey4Row, 'x' | 'y'>;

interface KeyRead {
  readonly table: KeyTable;
  readonly id: bigint;
  /** Address of the registry. */
  readonly to: string;
  readonly block: Block;
  /** The stored key. */
  readonly known: (KeyPoint & { readonly source: string }) | undefined;
}

const MAX_U64 = 0xffff_ffff_ffff_ffffn;
/** Interval at which the apps are searched for relying parties without a known key. */
const MISSING_KEYS_INTERVAL_MS = 10_000;
const CALLS_AT_ONCE = 8;
const ZERO = '0'.repeat(64);

/** Reads the keys of issuers and relying parties from the registries of World ID 4.0 (spec/roots.md#rounds, `keys`). */
export class SourceKeys {
  readonly #parts: SourceKeysParts;
  /** Ids that had no key when they were queried; an event follows when that changes. */
  readonly #queried = new Set<string>();
  #missingAt = Number.NEGATIVE_INFINITY;

  constructor(parts: SourceKeysParts) {
    this.#parts = parts;
  }

  /** Returns the ids in events of keys. */
  idsOf(logs: readonly Log[]): KeyIds {
    const ids = { issuers: new Set<bigint>(), oprfKeys: new Set<bigint>() };
    for (const { topics } of logs) {
      const event = KEY_EVENTS[topics[0] ?? ''];
      if (event !== undefined) ids[event.table].add(BigInt(topics[1] ?? '0x0'));
    }
    return ids;
  }

  /**
   * Returns the ids whose keys are wanted and not known, or all ids if a full reading is due.
   *
   * @param keysAt - When all keys were last read, in milliseconds since the epoch.
   */
  async wanted(keysAt: number): Promise<KeyIds & { readonly isFull: boolean }> {
    const { source, keys, apps, signinRpId, issuerIds, refreshMs, now } = this.#parts;
    const isFull = now() - keysAt >= refreshMs;
    if (!isFull && now() - this.#missingAt < MISSING_KEYS_INTERVAL_MS) {
      return { issuers: new Set(), oprfKeys: new Set(), isFull };
    }
    this.#missingAt = now();
    const own = ({ environment }: { environment: string }): boolean => environment === source.environment;
    const knownIssuers = new Set(
      (await keys.listIssuers()).filter(own).map((row) => BigInt(row.issuerSchemaId)),
    );
    const knownParties = new Set((await keys.listOprfKeys()).filter(own).map((row) => oprfKeyId(row.rpId)));
    const parties = (await apps.list())
      .filter(({ verification }) => verification === 'registered')
      .map(({ rpId }) => oprfKeyId(rpId));
    if (signinRpId !== undefined) parties.push(oprfKeyId(signinRpId));
    const lacking = (table: KeyTable, ids: Iterable<bigint>, known: ReadonlySet<bigint>): Set<bigint> => {
      const isLacking = (id: bigint): boolean => !known.has(id) && !this.#queried.has(`${table} ${id}`);
      return new Set([...ids].filter((id) => isFull || isLacking(id)));
    };
    const issuers = lacking('issuers', issuerIds.map(BigInt), knownIssuers);
    const oprfKeys = lacking('oprfKeys', parties, knownParties);
    if (isFull) {
      for (const id of knownIssuers) issuers.add(id);
      for (const id of knownParties) oprfKeys.add(id);
    }
    return { issuers, oprfKeys, isFull };
  }

  /**
   * Reads keys at a block, by quorum. A point that is unsafe, or no longer registered, removes the key.
   *
   * @throws ServiceError `roots.contract_missing`, `roots.wrong_contract`; NoQuorum. No key is removed then.
   */
  async read(ids: KeyIds, block: Block): Promise<KeyRows> {
    const { source, keys, now } = this.#parts;
    const { environment, id: sourceId, issuers: issuerRegistry, oprfKeys: oprfRegistry } = source;
    const updatedAt = now();
    if (issuerRegistry === undefined || oprfRegistry === undefined) return { issuers: [], oprfKeys: [] };
    const base = { environment, source: sourceId, updatedAt };
    const before = {
      issuers: ids.issuers.size === 0 ? [] : await keys.listIssuers(),
      oprfKeys: ids.oprfKeys.size === 0 ? [] : await keys.listOprfKeys(),
    };
    const issuers = await inParts([...ids.issuers], async (id): Promise<IssuerKey4Row[]> => {
      if (id > MAX_U64) return [];
      const issuerSchemaId = String(id);
      const known = before.issuers.find(
        (row) => row.environment === environment && row.issuerSchemaId === issuerSchemaId,
      );
      const point = await this.#readPoint({ table: 'issuers', id, to: issuerRegistry, block, known });
      if (point === 'same') return [];
      if (point !== undefined) return [{ ...base, issuerSchemaId, ...point, removedAt: null }];
      return known === undefined ? [] : [{ ...known, ...base, removedAt: updatedAt }];
    });
    const oprfKeys = await inParts([...ids.oprfKeys], async (id): Promise<OprfKey4Row[]> => {
      // Not the key of a relying party: their ids are 64-bit numbers.
      if (id > MAX_U64) return [];
      const rpId = `rp_${id.toString(16).padStart(16, '0')}`;
      const known = before.oprfKeys.find((row) => row.environment === environment && row.rpId === rpId);
      const point = await this.#readPoint({ table: 'oprfKeys', id, to: oprfRegistry, block, known });
      if (point === 'same') return [];
      if (point !== undefined) return [{ ...base, rpId, ...point, removedAt: null }];
      return known === undefined ? [] : [{ ...known, ...base, removedAt: updatedAt }];
    });
    return { issuers: issuers.flat(), oprfKeys: oprfKeys.flat() };
  }

  /** Returns the point of an id, `same` if that is stored already, or undefined if there is no usable one. */
  async #readPoint({ table, id, to, block, known }: KeyRead): Promise<KeyPoint | 'same' | undefined> {
    const { chain, onBadKey, source } = this.#parts;
    const call = { to, data: KEY_SELECTORS[table] + argument(id), words: 2 };
    const [x, y] = keyWords(to, await chain.callAt(block, call));
    const isRegistered = x !== undefined && y !== undefined && x !== ZERO && y !== ZERO;
    this.#remember(`${table} ${id}`, isRegistered);
    if (!isRegistered) return undefined;
    const point = { x: wordOf(x), y: wordOf(y) };
    if (known?.source === source.id && isEqual(known.x, point.x) && isEqual(known.y, point.y)) return 'same';
    try {
      checkKeyPoint(point.x, point.y);
      return point;
    } catch (cause) {
      if (!isServiceError(cause)) throw cause;
      onBadKey(table, id, cause.message);
      this.#remember(`${table} ${id}`, false);
      return undefined;
    }
  }

  #remember(id: string, isKnown: boolean): void {
    if (isKnown) this.#queried.delete(id);
    else this.#queried.add(id);
  }
}

/** Returns the coordinates of a key in a registry; empty if the registry has no key for the id. */
function keyWords(to: string, result: CallResult): readonly string[] {
  if ('words' in result) return result.words;
  // For any reason: some providers drop the revert data that would say that the id is unknown.
  if ('revert' in result) return [];
  if (result.bytes === 0) throw new ServiceError('roots.contract_missing', `${to}: no contract`);
  throw new ServiceError('roots.wrong_contract', `${to}: a key has ${result.bytes} bytes, expected 64`);
}

/** Returns the id of a relying party's key: its 16 hex digits as a number. */
function oprfKeyId(rpId: string): bigint {
  return BigInt(`0x${rpId.slice('rp_'.length)}`);
}

/** Runs `work` for each item with bounded concurrency; returns the results in order. */
export async function inParts<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += CALLS_AT_ONCE) {
    results.push(...(await Promise.all(items.slice(at, at + CALLS_AT_ONCE).map(work))));
  }
  return results;
}
