/**
 * The bridge as plain data, for comparison with the store: without counters and expired rows, with all sums computed at
 * each call.
 */
import type { BridgeAnswer } from '../../../src/storage/bridge/bridge.ts';
import type { BridgeSender } from '../../../src/storage/bridge/charges.ts';
import type { BridgeStatus } from '../../../src/storage/bridge/messages.ts';
import type { BridgeMessage } from '../../../src/storage/values.ts';

const LIFE_MS = 900_000;
const RESERVED_ANSWER_BYTES = 4096;

/** Address and network that a message is charged to. */
type Payer = Pick<BridgeSender, 'addressKey' | 'networkKey'>;

interface Entry {
  readonly id: string;
  readonly kind: 'request' | 'response';
  readonly message: BridgeMessage | null;
  readonly status: BridgeStatus | null;
  readonly expiresAt: number;
  /** Null for a message of a sign-in. */
  readonly payer: Payer | null;
}

/** One charged message. */
export interface Charge extends Payer {
  readonly id: string;
  readonly kind: string;
  readonly bytes: number;
  readonly expiresAt: number;
}

const sizeOf = (id: string, message: BridgeMessage | null): number =>
  id.length + (message === null ? 0 : message.iv.length + message.payload.length);

/** Model of the bridge; each method does what the method of `BridgeStore` with the same name does. */
export class BridgeModel {
  now: number;
  entries: Entry[] = [];
  /** Charges for answers to sign-ins that exceed the reserved size. */
  largeAnswers: Charge[] = [];
  evictions = 0;

  constructor(now: number) {
    this.now = now;
  }

  /** Advances the clock and drops what has expired. */
  advance(milliseconds: number): void {
    this.now += milliseconds;
    this.entries = this.entries.filter(({ expiresAt }) => expiresAt > this.now);
    this.largeAnswers = this.largeAnswers.filter(({ expiresAt }) => expiresAt > this.now);
  }

  find(id: string, kind: Entry['kind']): Entry | undefined {
    return this.entries.find((entry) => entry.id === id && entry.kind === kind);
  }

  charges(): Charge[] {
    const ofEntries = this.entries.flatMap(({ id, kind, message, expiresAt, payer }) => {
      if (payer === null) return [];
      const bytes = sizeOf(id, message) + (kind === 'request' ? RESERVED_ANSWER_BYTES : 0);
      return [{ ...payer, id, kind, bytes, expiresAt }];
    });
    return [...ofEntries, ...this.largeAnswers];
  }

  beginSignIn(id: string, message: BridgeMessage): void {
    this.#put(id, 'request', message, 'initialized', null);
  }

  endSignIn(id: string): void {
    this.entries = this.entries.filter((entry) => entry.id !== id || entry.payer !== null);
  }

  createRequest(id: string, message: BridgeMessage, sender: BridgeSender): string {
    const request = this.find(id, 'request');
    if (request?.status === 'initialized' || this.#isOfSignIn(id)) return 'exists';
    return this.#tryTo(sender, 'created', () => {
      this.#drop(id, 'response');
      this.#put(id, 'request', message, 'initialized', sender);
    });
  }

  putRequest(id: string, message: BridgeMessage, sender: BridgeSender): string {
    if (this.#isOfSignIn(id)) return 'exists';
    return this.#tryTo(sender, 'stored', () => this.#put(id, 'request', message, 'initialized', sender));
  }

  takeRequest(id: string): BridgeMessage | undefined {
    const request = this.find(id, 'request');
    if (request?.status !== 'initialized') return undefined;
    this.#put(id, 'request', null, 'retrieved', request.payer);
    return request.message ?? undefined;
  }

  answer(id: string, message: BridgeMessage, sender: BridgeSender): string {
    const request = this.find(id, 'request');
    if (request === undefined) return 'no_status';
    if (this.find(id, 'response') !== undefined) return 'exists';
    const { payer } = request;
    const bytes = sizeOf(id, message);
    const isLarge = bytes - id.length > RESERVED_ANSWER_BYTES;
    return this.#tryTo(payer === null ? sender : { ...payer, limits: sender.limits }, 'stored', () => {
      this.#drop(id, 'request');
      this.#put(id, 'response', message, null, payer);
      if (payer !== null || !isLarge) return;
      const { addressKey, networkKey } = sender;
      const expiresAt = this.now + LIFE_MS;
      this.largeAnswers.push({ id, kind: 'sign_in_answer', addressKey, networkKey, bytes, expiresAt });
    });
  }

  createAnswer(id: string, message: BridgeMessage, sender: BridgeSender): string {
    if (this.find(id, 'response') !== undefined) return 'exists';
    return this.#tryTo(sender, 'created', () => this.#put(id, 'response', message, null, sender));
  }

  takeAnswer(id: string): BridgeAnswer | undefined {
    const message = this.find(id, 'response')?.message;
    if (message) {
      this.#drop(id, 'response');
      return { status: 'completed', message };
    }
    const status = this.find(id, 'request')?.status;
    return status ? { status } : undefined;
  }

  #isOfSignIn(id: string): boolean {
    return this.entries.some((entry) => entry.id === id && entry.payer === null);
  }

  #drop(id: string, kind: Entry['kind']): void {
    this.entries = this.entries.filter((entry) => entry.id !== id || entry.kind !== kind);
  }

  #put(
    id: string,
    kind: Entry['kind'],
    message: BridgeMessage | null,
    status: BridgeStatus | null,
    payer: Payer | null,
  ): void {
    this.#drop(id, kind);
    const owner = payer === null ? null : { addressKey: payer.addressKey, networkKey: payer.networkKey };
    this.entries.push({ id, kind, message, status, expiresAt: this.now + LIFE_MS, payer: owner });
  }

  /** Makes a change, and undoes it if it increases a sum beyond its bound. */
  #tryTo(sender: BridgeSender, done: string, change: () => void): string {
    const { limits, addressKey, networkKey } = sender;
    for (;;) {
      const [entries, largeAnswers] = [this.entries, [...this.largeAnswers]];
      const before = this.#sums(addressKey);
      change();
      const after = this.#sums(addressKey);
      const isBeyond = (what: Sum, more: Sum, maxEntries: number, maxBytes: number): boolean =>
        (more.entries > what.entries || more.bytes > what.bytes) &&
        (more.entries > maxEntries || more.bytes > maxBytes);
      const { maxEntriesPerAddress, maxBytesPerAddress } = limits;
      const isShareFull = isBeyond(before.own, after.own, maxEntriesPerAddress, maxBytesPerAddress);
      const isFull = isBeyond(before.all, after.all, limits.maxEntries, limits.maxBytes);
      if (!isShareFull && !isFull) return done;
      [this.entries, this.largeAnswers] = [entries, largeAnswers];
      if (isShareFull) return 'share_full';
      const needed = difference(after.all, before.all);
      const excess = difference(after.all, { entries: limits.maxEntries, bytes: limits.maxBytes });
      if (!this.#makeRoom(networkKey, needed, excess)) return 'full';
    }
  }

  /** Drops the oldest messages of the largest network, if it holds at least twice what the newcomer would hold. */
  #makeRoom(networkKey: string, needed: Sum, excess: Sum): boolean {
    const scarce = excess.entries > 0 ? 'entries' : 'bytes';
    const heldBy = (key: string): Sum => sum(this.charges().filter((charge) => charge.networkKey === key));
    const keys = [...new Set(this.charges().map((charge) => charge.networkKey))];
    const [largest] = keys.sort((a, b) => heldBy(b)[scarce] - heldBy(a)[scarce] || compare(b, a));
    if (largest === undefined) return false;
    if (heldBy(largest)[scarce] < 2 * (heldBy(networkKey)[scarce] + needed[scarce])) return false;
    const oldest = this.charges()
      .filter((charge) => charge.networkKey === largest)
      .sort((a, b) => a.expiresAt - b.expiresAt || compare(a.id, b.id) || compare(a.kind, b.kind));
    let freed: Sum = { entries: 0, bytes: 0 };
    for (const charge of oldest) {
      if (freed.entries >= excess.entries && freed.bytes >= excess.bytes) break;
      freed = { entries: freed.entries + 1, bytes: freed.bytes + charge.bytes };
      this.#dropCharged(charge);
    }
    this.evictions += freed.entries;
    return true;
  }

  #dropCharged({ id, kind }: Charge): void {
    if (kind === 'sign_in_answer') {
      this.largeAnswers = this.largeAnswers.filter((charge) => charge.id !== id);
      if (this.find(id, 'response')?.payer === null) this.#drop(id, 'response');
    } else this.#drop(id, kind as Entry['kind']);
  }

  #sums(addressKey: string): { own: Sum; all: Sum } {
    const charges = this.charges();
    return { own: sum(charges.filter((charge) => charge.addressKey === addressKey)), all: sum(charges) };
  }
}

interface Sum {
  readonly entries: number;
  readonly bytes: number;
}

function sum(charges: readonly Charge[]): Sum {
  return { entries: charges.length, bytes: charges.reduce((total, { bytes }) => total + bytes, 0) };
}

function difference(a: Sum, b: Sum): Sum {
  return { entries: a.entries - b.entries, bytes: a.bytes - b.bytes };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
