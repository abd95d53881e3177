/** Anvil, an Ethereum node for tests with time, blocks and forks at will; it comes as a development dependency. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { CONTRACTS, type ContractName, encodeCall, encodeWords } from './contracts.ts';
import type { RpcBackend, RpcError } from './scripted-chain.ts';

const MOST_OUTPUT = 10_000;

/** Program of anvil; undefined if npm has no package for this platform or left it out. */
export const ANVIL: string | undefined = findAnvil();

/** To be added to the name of a suite that is skipped without anvil. */
export const ANVIL_SKIP: string =
  ANVIL === undefined ? ' (skipped: the optional package of anvil is not installed)' : '';

/** A deployed contract of test/contracts. */
export interface DeployedContract {
  /** Lower-case address. */
  readonly address: string;
  /** Sends a transaction by the signature of a function; it is in the next block. */
  send(signature: string, ...values: readonly (bigint | number)[]): Promise<void>;
}

/** A running anvil that makes blocks only when told. */
export interface Anvil {
  readonly url: string;
  readonly backend: RpcBackend;
  /** Calls a method; rejects if it fails. */
  rpc(method: string, ...params: readonly unknown[]): Promise<unknown>;
  /** Makes a block of the transactions sent. @param time - Seconds since the epoch; by default after the last block. */
  mine(time?: number): Promise<void>;
  /** Replaces the newest blocks by as many empty ones. */
  reorganise(blocks: number): Promise<void>;
  /** Deploys a contract in a block of its own. */
  deploy(contract: ContractName, ...values: readonly bigint[]): Promise<DeployedContract>;
  stop(): Promise<void>;
}

/** Options of anvil. */
export interface AnvilOptions {
  readonly chainId?: number;
  /** Time of the first block, seconds since the epoch. */
  readonly firstTime?: number;
}

/** Starts anvil on a free port; the block `safe` is 2 below the head, `finalized` 4. */
export async function startAnvil({ chainId = 480, firstTime }: AnvilOptions = {}): Promise<Anvil> {
  const time = firstTime === undefined ? [] : ['--timestamp', String(firstTime)];
  const args = [
    '--port',
    '0',
    '--no-mining',
    '--slots-in-an-epoch',
    '2',
    '--chain-id',
    String(chainId),
    ...time,
  ];
  const child = spawn(ANVIL ?? '', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const kill = (): unknown => child.kill('SIGKILL');
  process.once('exit', kill);
  const url = `http://${await listeningAddress(child)}`;
  const backend = httpBackend(url);
  const rpc: Anvil['rpc'] = async (method, ...params) => {
    const outcome = await backend(method, params);
    if ('error' in outcome) throw new Error(`${method}: ${outcome.error.message}`);
    return outcome.result;
  };
  const [from] = (await rpc('eth_accounts')) as string[];
  const send = (transaction: object): Promise<unknown> =>
    rpc('eth_sendTransaction', { from, gas: '0x4c4b40', ...transaction });
  const mine: Anvil['mine'] = async (at) => {
    await rpc('evm_mine', ...(at === undefined ? [] : [at]));
  };
  return {
    url,
    backend,
    rpc,
    mine,
    async reorganise(blocks) {
      await rpc('anvil_reorg', blocks, []);
    },
    async deploy(contract, ...values) {
      const hash = await send({ data: `${CONTRACTS[contract].bytecode}${encodeWords(...values)}` });
      await mine();
      const { contractAddress } = (await rpc('eth_getTransactionReceipt', hash)) as {
        contractAddress: string;
      };
      return {
        address: contractAddress.toLowerCase(),
        async send(signature, ...args) {
          await send({ to: contractAddress, data: encodeCall(contract, signature, ...args) });
        },
      };
    },
    async stop() {
      process.off('exit', kill);
      kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

/** Returns a backend that asks a node over HTTP. */
function httpBackend(url: string): RpcBackend {
  return async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    });
    const { result, error } = (await response.json()) as { result?: unknown; error?: RpcError };
    return error === undefined ? { result } : { error };
  };
}

function listeningAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    // Output is read to the end: a closed pipe would end the program.
    child.stdout?.on('data', (chunk) => {
      output = `${output}${chunk}`.slice(-MOST_OUTPUT);
      const [, address] = /Listening on (\S+)\n/.exec(output) ?? [];
      if (address !== undefined) resolve(address);
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`anvil ended: ${output}`)));
  });
}

function findAnvil(): string | undefined {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  try {
    const path = createRequire(import.meta.url).resolve(
      `@foundry-rs/anvil-${process.platform}-${architecture}/bin/anvil`,
    );
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
