import { randomBytes, randomUUID } from 'node:crypto';
import { DEFAULT_CLIENT } from '../../../src/config/apps/client-of.ts';
import { OPEN_POLICY } from '../../../src/config/apps/policy.ts';
import type { AppRow } from '../../../src/storage/apps/apps.ts';
import type { BridgeLimits, BridgeSender } from '../../../src/storage/bridge/charges.ts';
import type { NullifierEntry } from '../../../src/storage/nullifiers/nullifier-rows.ts';
import type { RootRow } from '../../../src/storage/roots.ts';
import type { VerifyingKeyRow } from '../../../src/storage/verifying-keys.ts';

/** Settings of a store for tests. */
export const GROUP_SETTINGS: { readonly groupMaxRows: number; readonly groupMaxDelayMs: number } = {
  groupMaxRows: 512,
  groupMaxDelayMs: 0,
};

/** Makes the bridge bounds of an address, high unless `limits` lowers them; each address is its own network. */
export function bridgeSender(limits: Partial<BridgeLimits> = {}, address = 'address'): BridgeSender {
  const wide = { maxEntries: 10_000, maxBytes: 100_000_000 };
  return {
    addressKey: address,
    networkKey: address,
    limits: { ...wide, maxEntriesPerAddress: 10_000, maxBytesPerAddress: 100_000_000, ...limits },
  };
}

/** Returns 32 bytes of this value. */
export function bytes32(value: number): Uint8Array {
  return new Uint8Array(32).fill(value);
}

/** Returns the nullifier of a number. */
export function numberedNullifier(number: number): Uint8Array {
  const nullifier = new Uint8Array(32);
  new DataView(nullifier.buffer).setUint32(28, number);
  return nullifier;
}

/** Makes an entry with a random nullifier. */
export function nullifierEntry(change: Partial<NullifierEntry> = {}): NullifierEntry {
  return {
    environment: 'production',
    nullifier: new Uint8Array(randomBytes(32)),
    appId: 'app_369183bd38f1641b6964ab51d7a20434',
    action: 'test-action',
    actionDescription: '',
    requestId: randomUUID(),
    createdAt: 1_700_000_000_000,
    ...change,
  };
}

/** Makes a current root. */
export function rootRow(change: Partial<RootRow> = {}): RootRow {
  return {
    environment: 'production',
    tree: 'orb',
    root: bytes32(1),
    receivedAt: 1000,
    supersededAt: null,
    source: 'operator',
    keyId: null,
    ...change,
  };
}

/** Makes an active, registered app. */
export function appRow(change: Partial<AppRow> = {}): AppRow {
  return {
    appId: 'app_369183bd38f1641b6964ab51d7a20434',
    rpId: 'rp_0123456789abcdef',
    name: 'Test',
    status: 'active',
    verification: 'registered',
    isDevelopment: false,
    client: DEFAULT_CLIENT,
    policy: OPEN_POLICY,
    hasLogo: false,
    createdAt: 1000,
    updatedAt: 1000,
    ...change,
  };
}

/** Makes an imported key with placeholder bytes: the store does not interpret them. */
export function verifyingKeyRow(change: Partial<VerifyingKeyRow> = {}): VerifyingKeyRow {
  return {
    keyId: 'key-a',
    origin: 'imported',
    depth: 30,
    source: 'a.json',
    key: new Uint8Array([0x00, 0xff, 0x00, 0x80]),
    fingerprint: bytes32(7),
    createdAt: 1000,
    ...change,
  };
}
