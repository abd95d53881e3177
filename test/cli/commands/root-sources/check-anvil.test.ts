// Rules: spec/roots.md#commands
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ANVIL,
  ANVIL_SKIP,
  type Anvil,
  type DeployedContract,
  startAnvil,
} from '../../../support/chain/anvil.ts';
import { hexWords } from '../../../support/chain/scripted-contracts.ts';
import { type CliFolder, type CliResult, makeCliFolder } from '../../support/cli.ts';
import { tableRows } from '../../support/table-rows.ts';

/** Issuers of `verify.worldid4.issuers.staging` by default. */
const ISSUERS = [1n, 9303n, 9310n, 128n];

describe.skipIf(ANVIL === undefined)(`proofgate roots sources check on anvil${ANVIL_SKIP}`, () => {
  let anvil: Anvil;
  let manager: DeployedContract;
  let registry: DeployedContract;
  let folder: CliFolder;

  beforeAll(async () => {
    anvil = await startAnvil();
    manager = await anvil.deploy('IdentityManager', 1n);
    registry = await anvil.deploy('WorldIdRegistry');
    const verifier = await anvil.deploy('Groth16Verifier');
    await manager.send('change(uint256,uint8)', 5000, 0);
    await registry.send('setVerifier(address)', BigInt(verifier.address));
    await registry.send('record(uint256)', 77);
    for (const id of ISSUERS) await registry.send('setIssuer(uint64,(uint256,uint256))', id, 5, 6);
    for (let block = 0; block < 20; block++) await anvil.mine();
    folder = await makeCliFolder();
    const common = { environment: 'staging', chainId: 480 };
    const sources = [
      { ...common, id: 'orb', kind: 'identity-manager', tree: 'orb', contract: manager.address },
      {
        ...common,
        id: 'account',
        kind: 'registry4',
        tree: 'account',
        contract: registry.address,
        issuers: registry.address,
        oprfKeys: registry.address,
        verifier: registry.address,
      },
    ];
    const roots = { sources, rpc: { worldchain: [anvil.url, anvil.url.replace('127.0.0.1', 'localhost')] } };
    writeFileSync(join(folder.path, 'proofgate.config.json'), JSON.stringify({ roots }));
  });
  afterAll(async () => {
    await anvil?.stop();
    await folder?.remove();
  });

  /** Runs the check at the time of the newest block. */
  async function check(...argv: readonly string[]): Promise<CliResult> {
    const { timestamp } = (await anvil.rpc('eth_getBlockByNumber', 'latest', false)) as { timestamp: string };
    const argvOfCheck = ['roots', 'sources', 'check', ...argv];
    return await folder.run(argvOfCheck, { now: Number(timestamp) * 1000 });
  }

  it('passes for contracts that fit the settings, and writes nothing', async () => {
    const before = await tableRows(folder.path);
    const { code, stdout } = await check('--json');
    const { sources } = JSON.parse(stdout) as {
      sources: { id: string; providers: object[]; checks: { name: string; status: string }[] }[];
    };
    expect(sources.flatMap(({ checks }) => checks.filter(({ status }) => status === 'fail'))).toEqual([]);
    expect(code).toBe(0);
    expect(sources[0]?.providers[1]).toMatchObject({ depth: 30, latest_root: hexWords(5000n) });
    const [, account] = sources;
    const own = account?.checks.filter(({ name }) => /window|verif|threshold|issuers/.test(name));
    expect(own?.map(({ status }) => status)).toEqual(Array.from({ length: 7 }, () => 'ok'));
    expect(await tableRows(folder.path)).toEqual(before);
  });

  it('fails for a verifier that has another key, and shows the providers', async () => {
    await registry.send('setVerifier(address)', BigInt(manager.address));
    for (let block = 0; block < 2; block++) await anvil.mine();
    const { code, stdout } = await check('account', '--providers');
    expect(code).toBe(1);
    expect(stdout.split('\n').filter((line) => line.startsWith('fail'))).toEqual([
      expect.stringMatching(/^fail {2}verifying key +trapdoor-15 is not the one in 0x/),
    ]);
    expect(stdout).toMatch(/\n +cure: Bind the key of the contract with verify\.worldid4\.key\.staging/);
    expect(stdout).toMatch(/\nlocalhost:\d+ +480 +\d+ /);
  });
});
