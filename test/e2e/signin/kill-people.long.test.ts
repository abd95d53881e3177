// Rules: spec/sign-in.md#people
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { CROWD_ENV, Crowd4 } from '../../support/signin/crowd4.ts';
import { type KillableSignin, startKillableSignin } from '../../support/signin/killable-signin.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { addWallet4State } from '../../support/test-wallet4.ts';

/** `KILLS=200` makes the run longer. */
const KILLS = Number(process.env.KILLS ?? 6);
const PEOPLE = ['ada', 'blaise', 'carl', 'david'];
const dataDir = temporaryFolder('people-kill', afterAll);

/** Returns a time from 50 to 1049 ms that depends on the round alone. */
const momentOf = (round: number): number =>
  50 + (createHash('sha256').update(`people ${round}`).digest().readUInt32BE() % 1000);

describe.each(['bound', 'paired'] as const)(
  'a process that is killed while people sign in, %s',
  (binding) => {
    let service: KillableSignin | undefined;

    afterAll(async () => {
      await service?.kill();
    });

    it(
      `gives nobody a second sub over ${KILLS} kills, and records only sessions that their people can prove`,
      async () => {
        const folder = `${dataDir}/${binding}`;
        mkdirSync(folder, { recursive: true });
        const started = await startKillableSignin(folder, CROWD_ENV);
        service = started;
        const client = await started.addClient({ binding });
        await started.withStore(addWallet4State);
        const subs = new Map<string, Set<string>>();
        let count = 0;
        for (let round = 0; round < KILLS; round++) {
          await started.withStore(async (store) => {
            const crowd = new Crowd4({ baseUrl: started.baseUrl, client, store });
            let killed: Promise<void> | undefined;
            const onSignedIn = (): void => {
              killed ??= delay(momentOf(round)).then(() => started.kill());
            };
            await Promise.all(
              // Everybody twice at once.
              [...PEOPLE, ...PEOPLE].map(async (person) => {
                for (;;) {
                  try {
                    await crowd.signIn(person);
                    onSignedIn();
                  } catch (error) {
                    // `fetch` sets a cause when a connection was cut or refused.
                    if (!(error instanceof TypeError && error.cause)) throw error;
                    return;
                  }
                }
              }),
            );
            await killed;
            count += crowd.count;
            for (const [person, seen] of crowd.subs) {
              subs.set(person, new Set([...(subs.get(person) ?? []), ...seen]));
            }
          });
          await started.start();
        }
        await started.withStore(async (store) => {
          const crowd = new Crowd4({ baseUrl: started.baseUrl, client, store });
          for (const person of PEOPLE) await crowd.signIn(person);
          for (const [person, seen] of subs) for (const sub of seen) crowd.subs.get(person)?.add(sub);
          expect(await crowd.faults(store)).toEqual([]);
        });
        expect(count).toBeGreaterThan(KILLS);
        console.log(`${binding}: ${count} sign-ins over ${KILLS} kills`);
      },
      60_000 + KILLS * 20_000,
    );
  },
);
