import type { Provider } from '../../../chain/provider/provider.ts';
import type { Block, CallResult, ContractCall } from '../../../chain/rpc/answers.ts';
import type { ChainSource } from '../../../config/roots/source-types.ts';
import type { Config } from '../../../config/settings/types.ts';
import { isServiceError } from '../../../errors/service-error.ts';
import { G1_BYTES, HEAD_BYTES, WORD_BYTES } from '../../../groth16/layout.ts';
import {
  boundKey,
  checkKeyUse,
  readKey,
  WORLDID4_BINDING,
  WORLDID4_INPUTS,
} from '../../keys/verifying-keys.ts';
import { argument } from '../reader/contracts.ts';
import { inParts, KEY_SELECTORS } from '../reader/source-keys.ts';
import { lineOfAnswers, queryAll } from './check-agreement.ts';
import type { CheckedStore, StoreOrReason } from './check-store.ts';
import { type CheckLine, fail, failWithCure, ok, skip, type Verdict } from './report.ts';

/** Settings that the contracts of World ID 4.0 are compared with. */
export interface Registry4Settings {
  readonly profile: Config['profile'];
  readonly verify: Pick<Config['verify'], 'keys'> & {
    readonly worldid4: Pick<
      Config['verify']['worldid4'],
      'issuers' | 'rootWindowSeconds' | 'minExpirationThresholdSeconds'
    >;
  };
}

/** Inputs for the check of the contracts of World ID 4.0. */
export interface Registry4Check {
  readonly source: ChainSource;
  readonly settings: Registry4Settings;
  readonly store: StoreOrReason;
  /** Providers that agree about the target. */
  readonly providers: readonly Provider[];
  readonly target: Block;
}

const GET_WINDOW = '0x65b64a72';
const GET_THRESHOLD = '0x2fbeebea';
const GET_VERIFIER = '0x46657fe9';
/** Getters of the verifier with the settings of the addresses that they return. */
const REGISTRIES = [
  ['contract', '0xc6c15ae0'],
  ['issuers', '0x340eb98f'],
  ['oprfKeys', '0x1dfc0cea'],
] as const;
const ADDRESS_DIGITS = 40;
const ZERO = /^0+$/;
/** Digits of an issuer in `verify.worldid4.issuers`, before its identifiers. */
const ISSUER_ID = /^\d+/;
const NO_STORE = { verifyingKeys: { find: async () => undefined } };

/** Compares the contracts of World ID 4.0 with the settings: spec/roots.md#commands. */
export async function checkRegistry4(check: Registry4Check): Promise<CheckLine[]> {
  const { source, settings } = check;
  const { rootWindowSeconds } = settings.verify.worldid4;
  const window = { to: source.contract, data: GET_WINDOW, words: 1 };
  return [
    await checkNumber(check, 'root window', window, rootWindowSeconds, 'rootWindowSeconds'),
    ...(await checkVerifier(check)),
    await checkIssuers(check),
  ];
}

/** Whether code contains the coordinates of α and of all IC points of a key, as constants without leading zero bytes. */
export function holdsKey(code: Uint8Array, key: Uint8Array): boolean {
  const bytes = Buffer.from(code);
  return coordinatesOf(Buffer.from(key)).every((coordinate) => bytes.includes(coordinate));
}

function coordinatesOf(key: Buffer): Buffer[] {
  const points = [key.subarray(0, G1_BYTES), key.subarray(HEAD_BYTES)];
  return points.flatMap((part) =>
    Array.from({ length: part.length / WORD_BYTES }, (_, index) => {
      const word = part.subarray(index * WORD_BYTES, (index + 1) * WORD_BYTES);
      const first = word.findIndex((byte) => byte !== 0);
      return first < 0 ? word.subarray(WORD_BYTES) : word.subarray(first);
    }),
  );
}

async function checkVerifier(check: Registry4Check): Promise<CheckLine[]> {
  const { source, settings } = check;
  const { verifier: to } = source;
  if (to === undefined) {
    return [{ name: 'verifier', ...skip('the source has no address of a verifier') }];
  }
  const { minExpirationThresholdSeconds } = settings.verify.worldid4;
  const lines: CheckLine[] = [];
  for (const [setting, data] of REGISTRIES) {
    const answers = await call(check, { to, data, words: 1 });
    lines.push(
      lineOfAnswers(`verifier: ${setting}`, answers, (result) => judgeAddress(result, source[setting])),
    );
  }
  const threshold = { to, data: GET_THRESHOLD, words: 1 };
  lines.push(
    await checkNumber(
      check,
      'expiration threshold',
      threshold,
      minExpirationThresholdSeconds,
      'minExpirationThresholdSeconds',
    ),
    await checkKey(check, to),
  );
  return lines;
}

/** Compares the verifying key in use with the constants in the contract that checks proofs on the chain. */
async function checkKey(check: Registry4Check, verifier: string): Promise<CheckLine> {
  const name = 'verifying key';
  const { source, settings, store, providers } = check;
  const cure = `Bind the key of the contract with ${WORLDID4_BINDING}${source.environment}, or correct the address of the verifier.`;
  const keyId = boundKey(settings.verify.keys, source.environment, source.tree);
  if (keyId === undefined) return { name, ...failWithCure(`none is bound to ${source.environment}`, cure) };
  const { verifyingKeys }: Pick<CheckedStore, 'verifyingKeys'> = 'absent' in store ? NO_STORE : store;
  const key = await readKey(keyId, settings.profile, verifyingKeys);
  if (key === undefined) {
    return {
      name,
      ...('absent' in store
        ? skip(`${keyId}: ${store.absent}`)
        : failWithCure(`there is no key ${keyId}`, cure)),
    };
  }
  try {
    checkKeyUse(key, settings.profile, WORLDID4_INPUTS);
  } catch (cause) {
    if (!isServiceError(cause)) throw cause;
    return { name, ...fail(cause.message, cause.code) };
  }
  const answers = await call(check, { to: verifier, data: GET_VERIFIER, words: 1 });
  const address = 'words' in (answers.value ?? {}) ? addressOf(answers.value as CallResult) : undefined;
  if (answers.fault !== undefined || address === undefined) {
    return lineOfAnswers(name, answers, () => fail('the verifier names no contract', 'roots.wrong_contract'));
  }
  const codes = await queryAll(
    providers,
    (provider) => provider.readCode(address),
    (code) => `${code.length / 2} bytes of code`,
  );
  return lineOfAnswers(name, codes, (code) => {
    if (code === '') return fail(`no code at ${address}, which the verifier names`, 'roots.contract_missing');
    return holdsKey(Buffer.from(code, 'hex'), key.key)
      ? ok(`${keyId} is the one in ${address}`)
      : failWithCure(
          `${keyId} is not the one in ${address}: α or IC coordinates are missing in its code`,
          cure,
        );
  });
}

/** Checks that each issuer of the allow-list has a key. */
async function checkIssuers(check: Registry4Check): Promise<CheckLine> {
  const name = 'issuers';
  const { source, settings } = check;
  const { issuers: to } = source;
  const listed = settings.verify.worldid4.issuers[source.environment];
  const ids = listed.flatMap((text) => ISSUER_ID.exec(text)?.[0] ?? []);
  if (to === undefined || ids.length === 0) return { name, ...skip('none is listed') };
  const lines = await inParts(ids, async (id) => {
    const data = KEY_SELECTORS.issuers + argument(BigInt(id));
    return lineOfAnswers(id, await call(check, { to, data, words: 2 }), (result) =>
      'words' in result && !result.words.some((word) => ZERO.test(word))
        ? ok('registered')
        : fail('not registered'),
    );
  });
  const faults = lines.filter(({ status }) => status === 'fail');
  if (faults.length === 0) return { name, ...ok(`${ids.join(', ')} are registered`) };
  const detail = faults.map((line) => `${line.name}: ${line.detail}`).join('; ');
  const code = faults.find((line) => line.code !== undefined)?.code;
  const cure = `Take unregistered issuers out of verify.worldid4.issuers.${source.environment}, or correct the address.`;
  return { name, ...(code === undefined ? failWithCure(detail, cure) : fail(detail, code)) };
}

async function checkNumber(
  check: Registry4Check,
  name: string,
  contractCall: ContractCall,
  expected: number,
  setting: string,
): Promise<CheckLine> {
  return lineOfAnswers(name, await call(check, contractCall), (result) => {
    const word = wordOf(result);
    if (word === undefined) return fail('the contract does not tell it', 'roots.wrong_contract');
    const found = BigInt(`0x${word}`);
    if (found === BigInt(expected)) return ok(`${found} s`);
    return failWithCure(
      `${found} s, but verify.worldid4.${setting} is ${expected}`,
      'Give the setting the number of the contract, once its address is known to be right.',
    );
  });
}

function call(
  { providers, target }: Registry4Check,
  contractCall: ContractCall,
): ReturnType<typeof queryAll<CallResult>> {
  return queryAll(
    providers,
    (provider) => provider.callAt(target, contractCall),
    (result) => ('words' in result ? `0x${result.words.join('')}` : JSON.stringify(result)),
  );
}

function judgeAddress(result: CallResult, expected: string | undefined): Verdict {
  const found = addressOf(result);
  if (found === undefined) return fail('the verifier does not tell it', 'roots.wrong_contract');
  if (found === expected) return ok(found);
  return fail(`the verifier names ${found}, the source ${expected ?? 'none'}`, 'roots.wrong_contract');
}

function addressOf(result: CallResult): string | undefined {
  const word = wordOf(result);
  if (word === undefined || ZERO.test(word)) return undefined;
  return `0x${word.slice(-ADDRESS_DIGITS)}`;
}

function wordOf(result: CallResult): string | undefined {
  return 'words' in result ? result.words[0] : undefined;
}
