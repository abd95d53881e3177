import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFolder, makeCliFolder } from '../../cli/support/cli.ts';
import { multipart } from '../../support/refresh/client.ts';
import { portOf } from '../../support/refresh/draft.ts';
import { type TestHolder, testHolder } from '../../support/refresh/holder.ts';
import { isSignedPlainly, readCredential } from '../../support/refresh/reader.ts';
import { type RefreshService, startRefreshService } from '../../support/refresh/service.ts';
import { openStateReader } from '../../support/refresh/state.ts';
import { type WalletOutcome, walletRefresh } from '../../support/refresh/wallet.ts';
import { RawClient } from '../../support/server/raw-client.ts';
import { pollUntil } from '../../support/until.ts';

const START = Date.UTC(2026, 5, 1, 12);
const SUCCESS = 'Credential refreshed successfully';
let clock: number;
let folder: CliFolder;
let service: RefreshService;
let holder: TestHolder;
/** Pauses of the wallet, in milliseconds. */
let pauses: number[];

beforeEach(async () => {
  clock = START;
  pauses = [];
  folder = await makeCliFolder();
  service = await startRefreshService({
    settings: { 'rateLimits.refreshPerIdComm': '1', 'rateLimits.refreshWindowSeconds': '60' },
    dataDir: folder.path,
    now: () => clock,
  });
  holder = testHolder('wallet');
  await service.enrol([holder]);
});
afterEach(async () => {
  await service.end();
  await folder.remove();
});

/** Refreshes as a wallet whose pauses advance the service's clock. */
async function refresh(
  of: TestHolder = holder,
  during: () => Promise<void> = async () => undefined,
): Promise<WalletOutcome> {
  const call = await service.client.call(of);
  return await walletRefresh(service.app.publicUrl, call, async (ms) => {
    pauses.push(ms);
    clock += ms;
    await during();
  });
}

const command = async (...argv: string[]): Promise<void> => {
  expect((await folder.run(argv, { env: { PROOFGATE_PROFILE: 'test' } })).code).toBe(0);
};

describe('a wallet that retries on 429 and 5xx', () => {
  it('gets a credential with exactly the specified fields on the first attempt', async () => {
    const { credential, ...outcome } = await refresh();
    expect(outcome).toEqual({ message: SUCCESS, attempts: 1 });
    const read = readCredential(credential);
    expect(isSignedPlainly(read)).toBe(true);
    expect(read).toMatchObject({ genesisIssuedAt: BigInt(START / 1000), issuerSchemaId: 1n });
  });

  it('gets one after a wait when the window is full, from the first millisecond in which there is room', async () => {
    await refresh();
    clock = START + 57_000;
    expect(await refresh()).toMatchObject({ message: SUCCESS, attempts: 3 });
    expect(pauses).toEqual([1000, 2000]);
  });

  it('gives up after three retries while the window stays full, and shows why', async () => {
    await refresh();
    expect(await refresh()).toEqual({
      credential: undefined,
      message: 'Too many refreshes of this identity, please try again later',
      attempts: 4,
    });
    expect(await service.store.issuance.bindingsOf(holder.idComm)).toMatchObject([{ issuedCount: 1 }]);
  });

  it('shows that refresh is disabled, and gets its credential once an operator enables it', async () => {
    await command('refresh', 'disable');
    clock += 5000;
    expect(await refresh()).toEqual({
      credential: undefined,
      message: 'Credential refresh is disabled',
      attempts: 4,
    });
    const enable = (): Promise<void> => command('refresh', 'enable');
    // the second pause ends after the five seconds within which a node sees the switch
    clock += 3000;
    expect(await refresh(holder, enable)).toMatchObject({ message: SUCCESS });
  });

  it('tries once if a retry cannot succeed', async () => {
    const stranger = testHolder('a stranger');
    expect(await refresh(stranger)).toEqual({
      credential: undefined,
      message: 'There is no active enrolment of this identity',
      attempts: 1,
    });
    await refresh();
    clock += 60_000;
    expect(await refresh(testHolder('wallet', 'another sub'))).toMatchObject({
      message: 'The identity is bound to another sub',
      attempts: 1,
    });
    expect(pauses).toEqual([]);
  });

  it('gets a new credential with the same genesis after it lost the answer', async () => {
    const call = await service.client.call(holder);
    const form = multipart(call.fields);
    const client = await RawClient.open(portOf(service.app.publicUrl));
    const head = [
      `POST /api/v1/refresh?${call.query} HTTP/1.1`,
      'Host: test',
      `Content-Type: ${form.contentType}`,
      `x-zkp-proof: ${call.headers['x-zkp-proof']}`,
      `Content-Length: ${form.body.length}`,
    ];
    client.send(`${head.join('\r\n')}\r\n\r\n`);
    client.send(form.body);
    const state = openStateReader(join(folder.path, 'proofgate.db'));
    await pollUntil(() => state.read().credentials.length > 0);
    client.destroy();
    state.close();
    const [lost] = await service.store.issuance.list(0, 10);
    clock += 60_000;
    const { credential, attempts } = await refresh();
    const read = readCredential(credential);
    expect(attempts).toBe(1);
    expect(read.genesisIssuedAt).toBe(BigInt(START / 1000));
    expect(read.id).not.toBe(Buffer.from(lost?.credentialId ?? []).readBigUInt64BE());
    expect(read.expiresAt * 1000n).toBe(BigInt(lost?.expiresAt ?? 0) + 60_000n);
    expect(await service.store.issuance.bindingsOf(holder.idComm)).toMatchObject([{ issuedCount: 2 }]);
  });
});
