// Rules: spec/operations.md#process-model
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Driver } from '../../src/storage/drivers/driver.ts';
import { openLibsqlDriver } from '../../src/storage/drivers/libsql.ts';
import { type Store, storeOver } from '../../src/storage/store.ts';
import { makeMigratedStore } from '../support/server/migrated-store.ts';
import { GROUP_SETTINGS } from './support/rows.ts';
import { useTempFolders } from './support/temp-folder.ts';

const NOW = Date.parse('2026-06-01T00:00:00Z');
const LIVE = { clientId: 'app', clientHash: new Uint8Array(32), provenAfter: 0 };
const tempFolder = useTempFolders();

let driver: Driver;
let store: Store;

beforeAll(async () => {
  const path = join(tempFolder(), 'proofgate.db');
  await makeMigratedStore(path);
  driver = await openLibsqlDriver({ path });
  store = storeOver(driver, GROUP_SETTINGS);
});
afterAll(() => store.close());

it.each<[string, () => Promise<unknown>]>([
  ['usage of an app', () => store.usage.list(0, 'app')],
  ['usage of all apps', () => store.usage.totals(0)],
  ['usage by app', () => store.usage.byApp(0, 10)],
  ['recent refusals', () => store.usage.listRefusals(0, 10)],
  ['all apps', () => store.apps.list()],
  ['a search for apps', () => store.apps.page(10, 'shop')],
  ['counts of secrets', () => store.apps.countSecrets(NOW)],
  ['clients with another key', () => store.apps.clientsWithOtherKey('key', NOW, 10)],
  ['the audit log', () => store.audit.list({}, 10)],
  ['a page of sessions', () => store.sessions.page(LIVE, NOW, 10)],
  ['a count of sessions', () => store.sessions.count(LIVE, NOW)],
  ['a page of refresh tokens', () => store.refreshTokens.page('app', 10, NOW)],
  ['a page of events', () => store.outbox.page({ state: undefined, limit: 10, after: undefined }, NOW)],
  ['events that were not received', () => store.outbox.list(NOW, 10)],
  ['counts of events', () => store.outbox.counts(NOW)],
  ['all verifying keys', () => store.verifyingKeys.list()],
  ['keys of all issuer schemas', () => store.issuerKeys.listAll()],
  ['keys of World ID 4.0 issuers', () => store.worldId4Keys.listIssuers()],
  ['keys of World ID 4.0 relying parties', () => store.worldId4Keys.listOprfKeys()],
  ['all admin tokens', () => store.adminTokens.list(NOW)],
  ['all nodes', () => store.nodes.list()],
  ['all root sources', () => store.rootSources.list()],
  ['all persons of the development profile', () => store.development.listPersons()],
])('runs a read that may look at many rows off the main thread: %s', async (_, read) => {
  const [short, scan] = [vi.spyOn(driver, 'read'), vi.spyOn(driver, 'scan')];
  await read();
  expect([short.mock.calls.length, scan.mock.calls.length]).toEqual([0, 1]);
  vi.restoreAllMocks();
});
