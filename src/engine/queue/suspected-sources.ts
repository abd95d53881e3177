import type { ProofSource } from '../engine.ts';

const MAX_ADDRESSES = 1024;
// Bad proofs for this many apps count for the whole address, so that changing app ids does not evade the isolation.
const SUSPECT_APPS_PER_ADDRESS = 3;
// Bad proofs from this many addresses of a network count for the whole network, so that changing addresses within it
// does not evade the isolation either.
const SUSPECT_ADDRESSES_PER_NETWORK = 3;
const MAX_NETWORKS = 1024;
const FORGIVEN_AFTER_VALID = 32;
const FORGIVEN_AFTER_MS = 60_000;

/** A source that sent bad proofs recently. Its proofs are batched separately from all others. */
export interface SuspectedSource {
  /** An address, or a network in the notation of `networkOf`. */
  readonly address: string;
  /** Undefined: the address or network with all its apps. */
  readonly app: string | undefined;
  /** Valid proofs since its last bad one. */
  valid: number;
  /** Time of its last bad proof. */
  failedAtMs: number;
}

interface AddressRecord {
  readonly apps: Map<string, SuspectedSource>;
  whole: SuspectedSource | undefined;
}

interface NetworkRecord {
  /** Addresses that sent bad proofs recently, with the time of the last one. */
  readonly addresses: Map<string, number>;
  whole: SuspectedSource | undefined;
}

const IPV4 = /^(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/;
const IPV6_GROUPS = 8;
const NETWORK_GROUPS = 3;

/**
 * Returns the network of an address: /24 of IPv4, /48 of IPv6, the range that one subscriber can easily obtain.
 *
 * @param address - Dotted IPv4, IPv6 as in RFC 5952, or an IPv6 prefix such as `2001:db8:1:2::/64`; any other text is
 *   its own network.
 */
export function networkOf(address: string): string {
  const ipv4 = IPV4.exec(address);
  if (ipv4) return `${ipv4[1]}.0/24`;
  if (!address.includes(':')) return address;
  const [head = '', tail = ''] = address.replace(/\/\d+$/, '').split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  const zeros = new Array<string>(Math.max(0, IPV6_GROUPS - before.length - after.length)).fill('0');
  return `${[...before, ...zeros, ...after].slice(0, NETWORK_GROUPS).join(':')}::/48`;
}

/**
 * Tracks the sources that sent bad proofs recently: from a bad proof until 32 consecutive valid ones, or 60 s without
 * another (spec/engine.md#suspected-sources). Two apps of an address are tracked separately before the address counts
 * as a whole, and two addresses of a network (/24, /48) before the network does. Memory is bounded: beyond 1024
 * addresses or networks, the one with the oldest last bad proof is evicted.
 */
export class SuspectedSources {
  /** By address, the one with the latest bad proof at the end. */
  readonly #addresses = new Map<string, AddressRecord>();
  /** By network, the one with the latest bad proof at the end. */
  readonly #networks = new Map<string, NetworkRecord>();
  /** Time of the last bad proof of any source. */
  #failedAtMs = Number.NEGATIVE_INFINITY;

  /** Number of tracked addresses. */
  get size(): number {
    return this.#addresses.size;
  }

  /** Whether any source is suspected. */
  hasAny(nowMs: number): boolean {
    return this.#addresses.size > 0 && nowMs - this.#failedAtMs < FORGIVEN_AFTER_MS;
  }

  /** Returns the suspected source that contains a source; undefined if the source is not suspected. */
  find(source: ProofSource | undefined, nowMs: number): SuspectedSource | undefined {
    if (source === undefined || this.#addresses.size === 0) return undefined;
    // The address is read only while any source is tracked.
    if (nowMs - this.#failedAtMs >= FORGIVEN_AFTER_MS) {
      this.#addresses.clear();
      this.#networks.clear();
      return undefined;
    }
    const { address } = source;
    const network = this.#networks.get(networkOf(address))?.whole;
    const record = this.#addresses.get(address);
    const found = network ?? record?.whole ?? record?.apps.get(source.app);
    if (!found || nowMs - found.failedAtMs < FORGIVEN_AFTER_MS) return found;
    this.#forget(found);
    return undefined;
  }

  /** Counts a bad proof. */
  recordBad({ address, app }: ProofSource, nowMs: number): void {
    this.#failedAtMs = nowMs;
    this.#networkFailed(address, nowMs);
    const record = this.#addresses.get(address) ?? {
      apps: new Map<string, SuspectedSource>(),
      whole: undefined,
    };
    this.#addresses.delete(address);
    this.#addresses.set(address, record);
    for (const [name, { failedAtMs }] of record.apps) {
      if (nowMs - failedAtMs >= FORGIVEN_AFTER_MS) record.apps.delete(name);
    }
    if (record.whole && nowMs - record.whole.failedAtMs >= FORGIVEN_AFTER_MS) record.whole = undefined;
    if (!record.whole && !record.apps.has(app) && record.apps.size + 1 >= SUSPECT_APPS_PER_ADDRESS) {
      record.apps.clear();
      record.whole = { address, app: undefined, valid: 0, failedAtMs: nowMs };
    }
    const known = record.whole ?? record.apps.get(app);
    if (known) Object.assign(known, { valid: 0, failedAtMs: nowMs });
    else record.apps.set(app, { address, app, valid: 0, failedAtMs: nowMs });
    if (this.#addresses.size > MAX_ADDRESSES) {
      const [oldest] = this.#addresses.keys();
      this.#addresses.delete(oldest as string);
    }
  }

  /** Counts a valid proof of a suspected source. */
  recordValid(suspect: SuspectedSource): void {
    suspect.valid += 1;
    if (suspect.valid >= FORGIVEN_AFTER_VALID) this.#forget(suspect);
  }

  #networkFailed(address: string, nowMs: number): void {
    const name = networkOf(address);
    const network = this.#networks.get(name) ?? { addresses: new Map<string, number>(), whole: undefined };
    this.#networks.delete(name);
    this.#networks.set(name, network);
    if (network.whole && nowMs - network.whole.failedAtMs < FORGIVEN_AFTER_MS) {
      Object.assign(network.whole, { valid: 0, failedAtMs: nowMs });
      return;
    }
    network.whole = undefined;
    network.addresses.set(address, nowMs);
    for (const [other, failedAtMs] of network.addresses) {
      if (nowMs - failedAtMs >= FORGIVEN_AFTER_MS) network.addresses.delete(other);
    }
    if (network.addresses.size >= SUSPECT_ADDRESSES_PER_NETWORK) {
      network.addresses.clear();
      network.whole = { address: name, app: undefined, valid: 0, failedAtMs: nowMs };
    }
    if (this.#networks.size > MAX_NETWORKS) {
      const [oldest] = this.#networks.keys();
      this.#networks.delete(oldest as string);
    }
  }

  #forget(suspect: SuspectedSource): void {
    const { address, app } = suspect;
    if (this.#networks.get(address)?.whole === suspect) this.#networks.delete(address);
    const record = this.#addresses.get(address);
    if (!record) return;
    if (record.whole === suspect) record.whole = undefined;
    else if (app !== undefined && record.apps.get(app) === suspect) record.apps.delete(app);
    if (record.whole || record.apps.size > 0) return;
    this.#addresses.delete(address);
    this.#networks.get(networkOf(address))?.addresses.delete(address);
  }
}

const MAX_PER_NETWORK = 32;
const MAX_PER_APP = 128;

/**
 * The window of the shared queues: counts the proofs of each network and each app that joined them since their last
 * batch. While some source is suspected, proofs in excess of the window wait in the overflow, so that sources not yet
 * suspected cannot fill or break the batches of all others.
 */
export class SharedWindow {
  readonly #proofs = new Map<string, number>();

  /** Whether any of `count` more proofs of this source exceeds the window. */
  isExceededBy(source: ProofSource, count: number): boolean {
    const ofNetwork = this.#proofs.get(networkOf(source.address)) ?? 0;
    const ofApp = this.#proofs.get(source.app) ?? 0;
    return ofNetwork + count > MAX_PER_NETWORK || ofApp + count > MAX_PER_APP;
  }

  /** Counts a proof. */
  add(source: ProofSource): void {
    for (const name of [networkOf(source.address), source.app]) {
      this.#proofs.set(name, (this.#proofs.get(name) ?? 0) + 1);
    }
  }

  /** Opens the next window. */
  reset(): void {
    if (this.#proofs.size > 0) this.#proofs.clear();
  }
}
