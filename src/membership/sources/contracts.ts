/** Contracts of World ID that publish roots and keys: what is called and which events are read. Rules: spec/roots.md#contracts. */
import type { ContractCall, EventShape, Log } from '../../chain/index.ts';

/** Kinds of sources on a chain. */
export type ContractKind = 'identity-manager' | 'bridged' | 'registry4';

/** A change of the root that a contract recorded. */
export interface RootChange {
  readonly block: number;
  readonly logIndex: number;
  readonly blockHash: string;
  /** New root, lower-case hex without prefix, 64 digits. */
  readonly root: string;
  /** Root before the change; undefined where the contract does not say it. */
  readonly before?: string;
  /** Seconds since the epoch as the contract says; undefined where the time of the block counts. */
  readonly time?: number;
}

/** How one kind of contract tells its roots. */
export interface RootContract {
  readonly rootEvent: string;
  readonly shape: EventShape;
  /** Whether each change begins at the root of the one before. */
  readonly isChained: boolean;
  readonly latestRoot: Omit<ContractCall, 'to'>;
  /** Selector of the error with which an empty contract reverts; undefined if it answers with a root always. */
  readonly emptyError?: string;
  change(log: Log): RootChange;
}

const word = (topic: string | undefined): string => (topic ?? '').replace(/^0x/, '');

const position = ({
  block,
  index,
  blockHash,
}: Log): Pick<RootChange, 'block' | 'logIndex' | 'blockHash'> => ({
  block,
  logIndex: index,
  blockHash,
});

/** Contracts by kind. */
export const ROOT_CONTRACTS: Readonly<Record<ContractKind, RootContract>> = {
  'identity-manager': {
    // TreeChanged(uint256 indexed preRoot, uint8 indexed kind, uint256 indexed postRoot)
    rootEvent: '0x25f6d5cc356ee0b49cf708c13c68197947f5740a878a298765e4b18e4afdaf04',
    shape: { topics: 4, words: 0 },
    isChained: true,
    // latestRoot()
    latestRoot: { data: '0xd7b0fef1', words: 1 },
    change: (log) => ({ ...position(log), before: word(log.topics[1]), root: word(log.topics[3]) }),
  },
  bridged: {
    // RootAdded(uint256 root, uint128 timestamp)
    rootEvent: '0xe97c89cbb137505b36f55ebfc9732fd6c4c73ff43d49db239fc25f6e7a534145',
    shape: { topics: 1, words: 2 },
    isChained: false,
    latestRoot: { data: '0xd7b0fef1', words: 1 },
    // NoRootsSeen()
    emptyError: '0x5b8dabb7',
    change: (log) => ({ ...position(log), root: log.words[0] ?? '', time: secondsOf(log.words[1]) }),
  },
  registry4: {
    // RootRecorded(uint256 indexed root, uint256 timestamp)
    rootEvent: '0x354c97d4498b3e88bd976788b89a3b2d5090140351a9eb813706398148e9c881',
    shape: { topics: 2, words: 1 },
    isChained: false,
    // getLatestRoot()
    latestRoot: { data: '0x5445b007', words: 1 },
    change: (log) => ({ ...position(log), root: word(log.topics[1]), time: secondsOf(log.words[0]) }),
  },
};

function secondsOf(digits: string | undefined): number {
  return Number(BigInt(`0x${digits ?? '0'}`));
}

/** An event that says that the key of an id may have changed; the id is its second topic. */
export interface KeyEvent {
  readonly table: 'issuers' | 'oprfKeys';
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
