import { openStore } from '../../../../src/storage/open-store.ts';
import { credential, enrolment, identity, issuerKey, LIMIT, orbKey, SCHEMA, START } from '../refresh-rows.ts';
import { bytes32, GROUP_SETTINGS } from '../rows.ts';
import { inputEnded } from './child-input.ts';

// node refresh-process.ts <url> <count> <name>: prints `ready`, waits for the end of its input, then does in parallel:
// - issues first credentials to identities 0 to count - 1, with the sub and genesis of this process
// - issues three credentials to each of identities 100 to 100 + count - 1, all with the same sub
// - counts attempts, takes challenges, imports enrolments, adds orb keys and rotates credential keys.
// Prints one line for each operation: name, number, outcome.

const [url = '', count = '0', name = ''] = process.argv.slice(2);
const { issuance, refreshGuards, enrolments, orbKeys, issuerKeys, close } = await openStore({
  url,
  ...GROUP_SETTINGS,
});
const own = Number(name);
const numbers = Array.from({ length: Number(count) }, (_, number) => number);
const report = (what: string, number: number, ...outcome: unknown[]): void => {
  console.log([what, number, ...outcome].join(' '));
};

async function first(number: number): Promise<void> {
  const genesisIssuedAt = START + own * 1000;
  const row = credential({ idComm: identity(number), sub: bytes32(own), genesisIssuedAt });
  report('first', number, (await issuance.issue(row, LIMIT)).outcome);
}

async function several(number: number): Promise<void> {
  for (let time = 0; time < 3; time++) {
    const row = credential({ idComm: identity(100 + number), issuedAt: START + own });
    const issued = await issuance.issue(row, LIMIT);
    report('several', number, issued.outcome, issued.outcome === 'limited' ? issued.retryAt : '');
  }
}

async function guards(number: number): Promise<void> {
  report('attempt', number, await refreshGuards.countAttempt('192.0.2.1', 1, numbers.length));
  report('challenge', number, await refreshGuards.takeChallenge(bytes32(number), START));
  const keyHash = bytes32(number).fill(own, 0, 1);
  report('orb', number, await orbKeys.add([orbKey(number, { keyHash })], 16, false));
}

async function imports(): Promise<void> {
  for (const number of numbers) {
    // all processes import the first identity, and compete for the signup of the second
    const rows = [
      enrolment(1000 + number),
      enrolment(2000 + 100 * own + number, { signupId: `contested-${number}` }),
    ];
    const outcomes = await enrolments.import(rows, { replaces: false, isDryRun: false });
    report('import', number, ...outcomes);
  }
}

async function rotations(): Promise<void> {
  for (const number of numbers) {
    const [active] = await issuerKeys.list(SCHEMA);
    const key = issuerKey(`${name}-${number}`, { registeredAt: START + number });
    if (await issuerKeys.activate(key, active?.keyId, START)) report('rotate', number, active?.keyId);
  }
}

console.log('ready');
await inputEnded();
await Promise.all([
  ...numbers.map(first),
  ...numbers.map(several),
  ...numbers.map(guards),
  imports(),
  rotations(),
]);
await close();
