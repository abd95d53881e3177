/**
 * Compiles the contracts of test/contracts. Run as a program, it writes `compiled.json` there:
 * `node --import tsx test/support/chain/compile-contracts.ts`. The output is deterministic.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import solc from 'solc';
import type { CompiledContract } from './contracts.ts';

const FOLDER = new URL('../../contracts/', import.meta.url);

/** Part of the ABI of a contract. */
interface AbiItem {
  readonly type: string;
  readonly name: string;
  readonly inputs: readonly AbiParameter[];
}

interface AbiParameter {
  readonly type: string;
  readonly components?: readonly AbiParameter[];
}

interface CompilerOutput {
  readonly errors?: readonly { readonly formattedMessage: string }[];
  readonly contracts: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly abi: readonly AbiItem[];
            readonly evm: {
              readonly bytecode: { readonly object: string };
              readonly methodIdentifiers: Readonly<Record<string, string>>;
            };
          }
        >
      >
    >
  >;
}

/** Compiles the contracts; throws the messages of the compiler, warnings included. */
export function compileContracts(): Record<string, CompiledContract> {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.sol'));
  const sources = names.map((name) => [name, { content: readFileSync(new URL(name, FOLDER), 'utf8') }]);
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(sources),
    settings: {
      evmVersion: 'paris',
      optimizer: { enabled: true },
      // Without metadata a comment does not change the bytecode.
      metadata: { appendCBOR: false, bytecodeHash: 'none' },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.methodIdentifiers'] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as CompilerOutput;
  if (output.errors !== undefined)
    throw new Error(output.errors.map((each) => each.formattedMessage).join('\n'));
  const contracts = Object.values(output.contracts).flatMap((file) => Object.entries(file));
  return Object.fromEntries(
    contracts.map(([name, { abi, evm }]) => [
      name,
      {
        bytecode: `0x${evm.bytecode.object}`,
        methods: evm.methodIdentifiers,
        events: signatures(abi, 'event'),
        errors: signatures(abi, 'error'),
      },
    ]),
  );
}

function signatures(abi: readonly AbiItem[], type: string): string[] {
  return abi
    .filter((item) => item.type === type)
    .map(({ name, inputs }) => `${name}(${inputs.map(typeOf).join(',')})`);
}

function typeOf({ type, components }: AbiParameter): string {
  return components === undefined ? type : type.replace('tuple', `(${components.map(typeOf).join(',')})`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(new URL('compiled.json', FOLDER), `${JSON.stringify(compileContracts(), null, 1)}\n`);
}
