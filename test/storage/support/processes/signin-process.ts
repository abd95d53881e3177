import { openStore } from '../../../../src/storage/open-store.ts';
import { appRow, GROUP_SETTINGS } from '../rows.ts';
import {
  ACCEPTED,
  attemptMessage,
  attemptOf,
  digest,
  newCode,
  START,
  secretRow,
  signingKeyRow,
} from '../signin-rows.ts';
import { inputEnded } from './child-input.ts';

// node signin-process.ts <url> <count> <name>: prints `ready`, waits for the end of its input, then attempts every state
// transition of the sign-ins txn-0 to txn-<count - 1>, presents every code, uses every refresh token, and changes keys
// and secrets, in parallel. Prints one line for each operation that it won, and for each code and refresh token: name,
// number, the written value or the outcome.

const [url = '', count = '0', name = ''] = process.argv.slice(2);
const { transactions, answers, grants, refreshTokens, signingKeys, apps, close } = await openStore({
  url,
  ...GROUP_SETTINGS,
});
const { appId } = appRow();

const report = (what: string, number: number, hasWon: boolean, wrote: string): void => {
  if (hasWon) console.log(`${what} ${number} ${wrote}`);
};

async function everyTransition(number: number): Promise<void> {
  const txn = `txn-${number}`;
  const bridgeId = `bridge-${name}-${number}`;
  const next = attemptOf(txn, { attempt: 2, signal: name, bridgeId });
  const retried = await transactions.retry(txn, 1, next, attemptMessage(bridgeId), START);
  report('retry', number, retried === 'stored', name);
  const answer = { iv: name, payload: name };
  report('answer', number, await transactions.storeAnswer(txn, 2, answer, START), name);
  const authTime = START + Number(name);
  const completed = await transactions.complete(txn, 2, { ...ACCEPTED, authTime }, {}, START);
  report('complete', number, completed === 'completed', name);
  const code = newCode(`${txn} ${name}`);
  report('consume', number, (await answers.consume(txn, { code })) === 'consumed', name);
}

async function everyCode(number: number): Promise<void> {
  const jti = `${number}-${name}`;
  const use = await grants.useCode(digest(`code-${number}`), appId, jti, START + 3_600_000, START);
  console.log(`code ${number} ${use.outcome} ${jti}`);
}

async function everyRefreshToken(number: number): Promise<void> {
  const [lookupHash, from] = [digest(`lookup-${number}`), digest(`token-${number}`)];
  const rotation = { lookupHash, from, to: digest(`token-${number} ${name}`), tokensEndAt: START + 1 };
  console.log(`refresh ${number} ${await refreshTokens.rotate(rotation, START)}`);
}

async function keysAndSecrets(): Promise<void> {
  const active = signingKeyRow(`${name}-a`, { state: 'active', activatedAt: START });
  report('initialise', 0, await signingKeys.initialise(active, signingKeyRow(`${name}-b`)), name);
  for (let number = 0; number < Number(count); number++) {
    const [first, second] = await signingKeys.list('signin', START);
    if (first === undefined || second === undefined)
      throw new Error('expected an active and a next signing key');
    const kid = `${name}-${number}`;
    const change = { use: 'signin', activeKid: first.kid, nextKid: second.kid, at: START + number } as const;
    const newNext = signingKeyRow(kid);
    const retiredUntil = START + 1_000_000;
    report('rotate', number, await signingKeys.rotate({ ...change, newNext, retiredUntil }), first.kid);
  }
  report('secret', 0, await apps.addSecret(secretRow(name), START + 1000, START), name);
}

console.log('ready');
await inputEnded();
const numbers = Array.from({ length: Number(count) }, (_, number) => number);
await Promise.all([
  ...numbers.map(everyTransition),
  ...numbers.map(everyCode),
  ...numbers.map(everyRefreshToken),
  keysAndSecrets(),
]);
await close();
