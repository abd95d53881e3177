/** Three services on one store, and requests that fail any checks of spec/refresh.md#order-of-checks. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RawResponse } from '../server/raw-client.ts';
import { type CheckNode, type CheckRow, SECONDS_TO_MINUTE } from './check-rows.ts';
import type { RefreshCall } from './client.ts';
import { makePackage } from './custody-package.ts';
import { portOf, type RefreshDraft, sendDraft } from './draft.ts';
import { type TestHolder, testHolder } from './holder.ts';
import { type RefreshService, startRefreshService } from './service.ts';
import { openStateReader, type StateReader } from './state.ts';

/** Clock of all services, in milliseconds since the epoch. */
export const CHECK_TIME: number = Date.UTC(2026, 5, 1, 12, 0, 60 - SECONDS_TO_MINUTE);
/** Maximum number of credentials of a holder in the window. */
const LIMIT = 2;

/** A request of a holder, ready to be sent. */
export interface PreparedCheck {
  readonly node: RefreshService;
  readonly holder: TestHolder;
  readonly draft: RefreshDraft;
  send(): Promise<RawResponse>;
}

/** Environment of tests of the order. */
export interface CheckWorld {
  readonly nodes: Readonly<Record<CheckNode, RefreshService>>;
  readonly state: StateReader;
  /**
   * Prepares a complete request with a package that fails exactly these checks. Requests with the same faults of the holder
   * are of one holder, because a refusal changes nothing; one that is to be accepted has a name of its own. So has each of a
   * full holder, of which the first alone is logged.
   */
  prepare(rows: readonly CheckRow[], name?: string): Promise<PreparedCheck>;
  end(): Promise<void>;
}

/** Starts the services. */
export async function startCheckWorld(): Promise<CheckWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'proofgate-checks-'));
  const file = join(folder, 'shared.db');
  const start = (
    attempts: string,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<RefreshService> =>
    startRefreshService({
      settings: {
        'storage.url': `libsql:${file}`,
        'storage.allowSharedFile': 'true',
        'keys.masterKey': Buffer.alloc(32, 1).toString('base64'),
        'rateLimits.refreshPerIdComm': String(LIMIT),
        'rateLimits.refreshProofAttemptsPerMinute': attempts,
        ...settings,
      },
      now: () => CHECK_TIME,
    });
  const nodes = {
    open: await start('100000'),
    tight: await start('1'),
    disabled: await start('1', { 'refresh.enabled': 'false' }),
  };
  await nodes.open.addOrbKey('0c1d2e3f', makePackage().orbKey.pem);
  const world = { nodes, state: openStateReader(file) };
  // uses up the attempts of the services `tight` and `disabled` in this minute
  await nodes.open.client.refresh(testHolder('a stranger'));
  const calls = new Map<string, ReturnType<typeof prepareCall>>();
  return {
    ...world,
    async prepare(rows, name = 'refused') {
      const faults = new Set(rows.flatMap(({ holder }) => holder ?? []));
      const key = [name, ...faults, ...(faults.has('is full') ? [calls.size] : [])].join();
      const made = calls.get(key) ?? prepareCall(nodes, key, faults);
      calls.set(key, made);
      const { holder, call } = await made;
      const draft = rows.reduce<RefreshDraft>((before, { change }) => change?.(before) ?? before, call);
      const named = rows.map(({ node }) => node);
      const node =
        nodes[named.includes('disabled') ? 'disabled' : named.includes('tight') ? 'tight' : 'open'];
      return { node, holder, draft, send: () => sendDraft(portOf(node.app.publicUrl), draft) };
    },
    async end() {
      world.state.close();
      for (const node of Object.values(nodes)) await node.end();
      rmSync(folder, { recursive: true });
    },
  };
}

async function prepareCall(
  { open }: CheckWorld['nodes'],
  name: string,
  faults: ReadonlySet<CheckRow['holder']>,
): Promise<{ readonly holder: TestHolder; readonly call: RefreshCall }> {
  const holder = testHolder(name);
  const { fields, signupId, orbId } = makePackage({ seed: name });
  const record = { signupId, orbId };
  await open.enrol([holder], record);
  const isBound = faults.has('is bound to another');
  const former = isBound ? testHolder(name, `another sub of ${name}`) : holder;
  for (let issued = 0; issued < (faults.has('is full') ? LIMIT : Number(isBound)); issued += 1) {
    const { status } = await open.client.refresh(former);
    if (status !== 200) throw new Error(`expected a credential for ${name}, got ${status}`);
  }
  if (faults.has('is revoked')) await open.enrol([holder], { ...record, status: 'revoked' });
  const call = await open.client.call(holder, { package: fields, isFalse: faults.has('proves nothing') });
  return { holder, call };
}
