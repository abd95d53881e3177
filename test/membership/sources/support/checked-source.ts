/** A source on a scripted chain whose set-up a test checks. */
import { expect } from 'vitest';
import type { ChainSource } from '../../../../src/config/roots/source-types.ts';
import { checkSource, type SourceCheckParts } from '../../../../src/membership/sources/check/check-source.ts';
import type { CheckLine, SourceReport } from '../../../../src/membership/sources/check/report.ts';
import type { Store } from '../../../../src/storage/store.ts';
import { CONTRACTS, encodeWords } from '../../../support/chain/contracts.ts';
import { hexWords } from '../../../support/chain/scripted-contracts.ts';
import { History, testSource } from './history.ts';

/** Issuers of the allow-list of tests. */
export const ISSUER_IDS = ['1', '128'] as const;
/** Getter of the key of an issuer. */
export const ISSUER_KEY = '0x94db8bd2';

/** Settings that fit the contracts of `checkedHistory`. */
export const CHECK_CONFIG: SourceCheckParts['config'] = {
  profile: 'test',
  roots: {
    rpc: { custom: ['https://a.example', 'https://b.example', 'https://c.example'] },
    quorum: 'auto',
    rpcTimeoutMs: 1000,
    maxResponseBytes: 65_536,
  },
  verify: {
    keys: { 'verify.worldid4.key.staging': 'trapdoor-15' },
    worldid4: {
      issuers: { production: [], staging: [`${ISSUER_IDS[0]}:passport`, `${ISSUER_IDS[1]}:mnc|orb`] },
      rootWindowSeconds: 3600,
      minExpirationThresholdSeconds: 18_000,
    },
  },
};

/** Creates a source that nothing is wrong with; for `registry4` with issuers and a verifier that has the bound key. */
export function checkedHistory(store: Store, fields: Partial<ChainSource> = {}): History {
  const source = testSource(fields);
  const { contract } = source;
  const history = new History(
    store,
    source.kind === 'registry4' ? { ...source, verifier: contract, ...fields } : source,
  );
  if (source.kind === 'registry4') {
    history.chain.setCode(contract, CONTRACTS.Groth16Verifier.bytecode);
    for (const id of ISSUER_IDS) {
      history.chain.setView(contract, `${ISSUER_KEY}${encodeWords(BigInt(id))}`, hexWords(5n, 6n));
    }
  }
  history.contract.change(2000n);
  history.chain.mineMany(10);
  return history;
}

/** Checks the source of a history. */
export async function checkHistory(
  history: Pick<History, 'source' | 'store' | 'now' | 'parts'>,
  parts: Partial<SourceCheckParts> = {},
): Promise<SourceReport> {
  return await checkSource(history.source, {
    config: CHECK_CONFIG,
    store: history.store,
    openProviders: () => history.parts().chain.providers,
    now: history.now,
    signal: new AbortController().signal,
    ...parts,
  });
}

/** Returns a line of a report by its name; throws if there is none. */
export function lineNamed({ lines }: SourceReport, name: string): CheckLine {
  const found = lines.find((line) => line.name === name);
  if (found === undefined)
    throw new Error(`no line ${name} among ${lines.map((line) => line.name).join(', ')}`);
  return found;
}

/** Expects a line of a report to fail, with a code and a text in its detail if they are given. */
export function expectFailed(
  report: SourceReport,
  name: string,
  { code, text }: { readonly code?: string; readonly text?: string },
): void {
  const line = lineNamed(report, name);
  expect(line).toMatchObject(code === undefined ? { status: 'fail' } : { status: 'fail', code });
  if (text !== undefined) expect(line.detail).toContain(text);
}

/** Lists the names of the lines with a status. */
export function namesOf({ lines }: SourceReport, status: CheckLine['status']): string[] {
  return lines.filter((line) => line.status === status).map(({ name }) => name);
}
