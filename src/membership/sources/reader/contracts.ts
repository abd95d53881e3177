/**
 * Contracts of World ID that publish roots and keys: the calls and events that are read. Rules:
 * spec/roots.md#contracts.
 */
import type { Block, ContractCall, EventShape, Log } from '../../../chain/rpc/answers.ts';
import type { ContractKind } from '../../../config/roots/presets.ts';
import { toHex } from '../../../semaphore/hex.ts';
import type { RootEventRow, RootLife } from '../../../storage/root-sources.ts';
import type { Bytes32 } from '../../../storage/values.ts';

/** A change of the root that a contract recorded. */
export interface RootChange {
  readonly log: Log;
  readonly root: Bytes32;
  /** Root before the change; undefined if the event does not contain it. */
  readonly before: Bytes32 | undefined;
  /** Seconds since the epoch from the event; undefined if the time of the block applies. */
  readonly time: number | undefined;
}

/** Access to the roots of one kind of contract. */
export interface RootContract {
  readonly rootEvent: string;
  readonly shape: EventShape;
  /** Whether each change begins at the root of the one before. */
  readonly isChained: boolean;
  /** Whether a root that was current before can come back. */
  readonly repeats: boolean;
  readonly latestRoot: Omit<ContractCall, 'to'>;
  /** Selector of the error with which an empty contract reverts; undefined if it always returns a root. */
  readonly emptyError?: string;
  change(log: Log): RootChange;
}

/** Contracts by kind. */
export const ROOT_CONTRACTS: Readonly<Record<ContractKind, RootContract>> = {
  'identity-manager': {
    // TreeChanged(uint256 indexed preRoot, uint8 indexed kind, uint256 indexed postRoot)
    rootEvent: '0x25f6d5cc356ee0b49cf708c13c68197947f5740a878a298765e4b18e4afdaf04',
    shape: { topics: 4, words: 0, scalarTopics: [1, 3] },
    isChained: true,
    repeats: true,
    // latestRoot()
    latestRoot: { data: '0xd7b0fef1', words: 1 },
    change: (log) => ({
      log,
      before: wordOf(log.topics[1]),
      root: wordOf(log.topics[3]),
      time: undefined,
    }),
  },
  bridged: {
    // RootAdded(uint256 root, uint128 timestamp)
    rootEvent: '0xe97c89cbb137505b36f55ebfc9732fd6c4c73ff43d49db239fc25f6e7a534145',
    shape: { topics: 1, words: 2, scalarWords: [0] },
    isChained: false,
    repeats: false,
    latestRoot: { data: '0xd7b0fef1', words: 1 },
    // NoRootsSeen()
    emptyError: '0x5b8dabb7',
    change: (log) => ({
      log,
      before: undefined,
      root: wordOf(log.words[0]),
      time: secondsOf(log.words[1]),
    }),
  },
  registry4: {
    // RootRecorded(uint256 indexed root, uint256 timestamp)
    rootEvent: '0x354c97d4498b3e88bd976788b89a3b2d5090140351a9eb813706398148e9c881',
    shape: { topics: 2, words: 1, scalarTopics: [1] },
    isChained: false,
    repeats: true,
    // getLatestRoot()
    latestRoot: { data: '0x5445b007', words: 1 },
    change: (log) => ({
      log,
      before: undefined,
      root: wordOf(log.topics[1]),
      time: secondsOf(log.words[0]),
    }),
  },
};

/** Returns the bytes of a word, with or without the prefix `0x`. */
export function wordOf(hex: string | undefined): Bytes32 {
  return new Uint8Array(Buffer.from((hex ?? '').replace(/^0x/, ''), 'hex'));
}

/** Returns a number as an argument of a call: 64 hex digits without prefix. */
export function argument(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}

/** A contract of another kind may return a time beyond any block's; it becomes the largest exact number. */
function secondsOf(word: string | undefined): number {
  const seconds = BigInt(`0x${word ?? '0'}`);
  return Number(seconds < MAX_SECONDS ? seconds : MAX_SECONDS);
}

const MAX_SECONDS = BigInt(Math.floor(Number.MAX_SAFE_INTEGER / 1000));

/** Tables of keys. */
export type KeyTable = 'issuers' | 'oprfKeys';

/** An event after which the key of an id may have changed; the id is its second topic. */
export interface KeyEvent {
  readonly table: KeyTable;
  readonly shape: EventShape;
}

/** Events of keys by topic. */
export const KEY_EVENTS: Readonly<Record<string, KeyEvent>> = {
  // IssuerSchemaRegistered(uint64 indexed issuerSchemaId, (uint256,uint256) pubkey, address signer, uint160 oprfKeyId)
  '0xd180155bcf9aa117ef812e8b9829ef9875889619f67813a0e02eb15cadb5577b': {
    table: 'issuers',
    shape: { topics: 2, words: 4 },
  },
  // IssuerSchemaPubkeyUpdated(uint64 indexed issuerSchemaId, (uint256,uint256) oldPubkey, (uint256,uint256) newPubkey)
  '0xd5013fdf4f808d9b2cc9b8464d23d8fed400f15487378d43cee2ad2f9981eb9e': {
    table: 'issuers',
    shape: { topics: 2, words: 4 },
  },
  // IssuerSchemaRemoved(uint64 indexed issuerSchemaId, (uint256,uint256) pubkey, address signer)
  '0xc08fd7f2f1b311315664f04b92eaf1ed18a727d5b319daa597528d7bd4a509d9': {
    table: 'issuers',
    shape: { topics: 2, words: 3 },
  },
  // SecretGenFinalize(uint160 indexed oprfKeyId, uint32 indexed epoch)
  '0xeca0bbf88a7c4e57f429bd1e6f708ad696c4dd4bd2ec9a50e916868f14abf5a4': {
    table: 'oprfKeys',
    shape: { topics: 3, words: 0 },
  },
  // KeyDeletion(uint160 indexed oprfKeyId)
  '0x80289566e41bae426a6ba7392c3b723699ac38c2b5bbeab84f247b0d5a44a9bd': {
    table: 'oprfKeys',
    shape: { topics: 2, words: 0 },
  },
};

/** Position of the root that was current before the scan, in the block before it. */
export const FIRST_EVENT_INDEX = -1;

/** Returns the event for a root that was current before the scan. @param before - The block before the scan. */
export function firstEvent(before: Block, root: Bytes32): RootEventRow {
  return { ...refOf(before), logIndex: FIRST_EVENT_INDEX, root, at: timeOf(before) };
}

/** Returns number and hash of a block as they are stored. */
export function refOf({ number, hash }: Block): { block: number; blockHash: Bytes32 } {
  return { block: number, blockHash: wordOf(hash) };
}

/** Returns the time of a block in milliseconds since the epoch. */
export function timeOf({ time }: Block): number {
  return time * 1000;
}

/**
 * Derives the rows of the registry from changes in the order of the chain: the lifetime of a root begins with its last
 * change and ends with the change after that. A root that was removed and came back has only the later lifetime.
 *
 * @returns One lifetime for each root, in the order of their beginnings; the last root is current.
 */
export function deriveRoots(events: readonly Pick<RootEventRow, 'root' | 'at'>[]): RootLife[] {
  const lives = new Map<string, RootLife>();
  for (const [index, { root, at }] of events.entries()) {
    const key = toHex(root);
    lives.delete(key);
    lives.set(key, { root, receivedAt: at, supersededAt: events[index + 1]?.at ?? null });
  }
  return [...lives.values()];
}
