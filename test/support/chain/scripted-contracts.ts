/** Contracts of World ID on a scripted chain: their events and view functions, with the state that forks take back. */
import { encodeWords } from './contracts.ts';
import type { ScriptedChain, ScriptedView } from './scripted-chain.ts';

const TREE_CHANGED = '0x25f6d5cc356ee0b49cf708c13c68197947f5740a878a298765e4b18e4afdaf04';
const ROOT_ADDED = '0xe97c89cbb137505b36f55ebfc9732fd6c4c73ff43d49db239fc25f6e7a534145';
const ROOT_RECORDED = '0x354c97d4498b3e88bd976788b89a3b2d5090140351a9eb813706398148e9c881';
const ISSUER_REGISTERED = '0xd180155bcf9aa117ef812e8b9829ef9875889619f67813a0e02eb15cadb5577b';
const ISSUER_UPDATED = '0xd5013fdf4f808d9b2cc9b8464d23d8fed400f15487378d43cee2ad2f9981eb9e';
const ISSUER_REMOVED = '0xc08fd7f2f1b311315664f04b92eaf1ed18a727d5b319daa597528d7bd4a509d9';
const OPRF_KEY_MADE = '0xeca0bbf88a7c4e57f429bd1e6f708ad696c4dd4bd2ec9a50e916868f14abf5a4';
const OPRF_KEY_DELETED = '0x80289566e41bae426a6ba7392c3b723699ac38c2b5bbeab84f247b0d5a44a9bd';
const ZERO = encodeWords(0n);

/** A point on the curve of issuer and OPRF keys. */
export interface ScriptedPoint {
  readonly x: bigint;
  readonly y: bigint;
}

/** Identity manager of World ID 3.0. */
export interface ScriptedManager {
  /** Current root of the next block as it is so far. */
  readonly root: bigint;
  change(root: bigint, kind?: 0 | 1): void;
}

/** Creates an identity manager whose first root has no event; it exists from the next block on. */
export function scriptManager(chain: ScriptedChain, address: string, firstRoot: bigint): ScriptedManager {
  chain.setView(address, '0xd7b0fef1', hexWords(firstRoot));
  chain.setView(address, '0x43f974cb', hexWords(3600n));
  chain.setView(address, '0x8e5cdd50', hexWords(30n));
  chain.setView(address, '0x3f7c178d', hexWords(0n, 0n, 0n));
  const current = (): bigint => BigInt(String(chain.view(address, '0xd7b0fef1')));
  return {
    get root(): bigint {
      return current();
    },
    change(root, kind = 0) {
      const topics = [TREE_CHANGED, hexWords(current()), hexWords(BigInt(kind)), hexWords(root)];
      chain.emit({ address, topics, data: '0x' });
      chain.setView(address, '0xd7b0fef1', hexWords(root));
    },
  };
}

/** World ID 3.0 on another chain. */
export interface ScriptedBridge {
  /** Adds a root, received at the time of the next block. */
  add(root: bigint): void;
}

/** Creates a bridged World ID, empty at first; it exists from the next block on. */
export function scriptBridge(chain: ScriptedChain, address: string): ScriptedBridge {
  chain.setView(address, '0xd7b0fef1', { revert: '0x5b8dabb7' });
  chain.setView(address, '0xb0d69079', hexWords(604_800n));
  chain.setView(address, '0xf1c621ee', hexWords(0n));
  return {
    add(root) {
      const time = chain.nextTime;
      chain.emit({ address, topics: [ROOT_ADDED], data: hexWords(root, BigInt(time)) });
      chain.setView(address, '0xd7b0fef1', hexWords(root));
      chain.setView(address, `0xf1c621ee${encodeWords(root)}`, hexWords(BigInt(time)));
    },
  };
}

/** Registries of World ID 4.0 at one address. */
export interface ScriptedRegistry {
  /** Records a root at the time of the next block. */
  record(root: bigint): void;
  /** Sets the key of an issuer, or removes it. */
  setIssuer(id: bigint, key: ScriptedPoint | undefined): void;
  /** Sets an OPRF key, or deletes it. */
  setOprfKey(id: bigint, key: ScriptedPoint | undefined): void;
}

/** Creates the registries of World ID 4.0 with a first root; they exist from the next block on. */
export function scriptRegistry(
  chain: ScriptedChain,
  address: string,
  windowSeconds = 3600,
): ScriptedRegistry {
  const set = (data: string, view: ScriptedView): void => chain.setView(address, data, view);
  set('0x5445b007', hexWords(0n));
  set('0x65b64a72', hexWords(BigInt(windowSeconds)));
  set('0x8e5cdd50', hexWords(30n));
  set('0x2fbeebea', hexWords(18_000n));
  // Roots and ids that are unknown.
  for (const getter of ['0x8561a5ef', '0x2cdabbce']) set(getter, hexWords(0n));
  set('0x94db8bd2', hexWords(0n, 0n));
  set('0x7488e8e7', { revert: `0xfbf20062${ZERO}` });
  for (const getter of ['0xc6c15ae0', '0x340eb98f', '0x1dfc0cea', '0x46657fe9'])
    set(getter, `0x${address.slice(2).padStart(64, '0')}`);
  return {
    record(root) {
      const time = chain.nextTime;
      const previous = String(chain.view(address, '0x5445b007')).slice(2);
      chain.emit({ address, topics: [ROOT_RECORDED, hexWords(root)], data: hexWords(BigInt(time)) });
      set('0x5445b007', hexWords(root));
      set(`0x8561a5ef${encodeWords(root)}`, hexWords(BigInt(time)));
      // Valid for the window after it was superseded.
      set(`0x2cdabbce${previous}`, (block) => hexWords(block.time <= time + windowSeconds ? 1n : 0n));
      set(`0x2cdabbce${encodeWords(root)}`, hexWords(1n));
    },
    setIssuer(id, key) {
      const getter = `0x94db8bd2${encodeWords(id)}`;
      const before = String(chain.view(address, getter)).slice(2);
      const after = key === undefined ? `${ZERO}${ZERO}` : `${encodeWords(key.x)}${encodeWords(key.y)}`;
      const isNew = before === `${ZERO}${ZERO}`;
      const [event, data] =
        key === undefined
          ? [ISSUER_REMOVED, `0x${before}${ZERO}`]
          : isNew
            ? [ISSUER_REGISTERED, `0x${after}${ZERO}${ZERO}`]
            : [ISSUER_UPDATED, `0x${before}${after}`];
      chain.emit({ address, topics: [event, hexWords(id)], data });
      set(getter, `0x${after}`);
    },
    setOprfKey(id, key) {
      const getter = `0x7488e8e7${encodeWords(id)}`;
      if (key === undefined) {
        chain.emit({ address, topics: [OPRF_KEY_DELETED, hexWords(id)], data: '0x' });
        set(getter, { revert: `0x1b02ded7${encodeWords(id)}` });
        return;
      }
      chain.emit({ address, topics: [OPRF_KEY_MADE, hexWords(id), hexWords(0n)], data: '0x' });
      set(getter, hexWords(key.x, key.y));
    },
  };
}

/** Writes numbers as 32-byte words with the prefix 0x. */
export function hexWords(...values: readonly bigint[]): string {
  return `0x${encodeWords(...values)}`;
}
