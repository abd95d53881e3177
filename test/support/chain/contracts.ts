import { readFileSync } from 'node:fs';

/** A compiled contract of test/contracts. */
export interface CompiledContract {
  /** 0x hex. */
  readonly bytecode: string;
  /** Selectors by signature, hex digits without prefix. */
  readonly methods: Readonly<Record<string, string>>;
  readonly events: readonly string[];
  readonly errors: readonly string[];
}

/** Names of the contracts of test/contracts. */
export type ContractName = 'IdentityManager' | 'BridgedWorldId' | 'WorldIdRegistry' | 'Groth16Verifier';

/** The contracts of test/contracts as committed; `compile-contracts.ts` makes them again. */
export const CONTRACTS = JSON.parse(
  readFileSync(new URL('../../contracts/compiled.json', import.meta.url), 'utf8'),
) as Readonly<Record<ContractName, CompiledContract>>;

/** Writes numbers as 32-byte words, hex digits without prefix. */
export function encodeWords(...values: readonly (bigint | number)[]): string {
  return values.map((value) => BigInt(value).toString(16).padStart(64, '0')).join('');
}

/** Encodes the call of a function by its signature; an array takes its offset, its length and its members. */
export function encodeCall(
  contract: ContractName,
  signature: string,
  ...values: readonly (bigint | number)[]
): string {
  const selector = CONTRACTS[contract].methods[signature];
  if (selector === undefined) throw new Error(`${contract} has no ${signature}`);
  return `0x${selector}${encodeWords(...values)}`;
}
