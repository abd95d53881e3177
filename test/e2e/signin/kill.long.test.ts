import { createHash } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { messageOf } from '../../../src/text.ts';
import { beginCourse, type Course, RESTS, resumeCourse, runCourse } from '../../support/signin/course.ts';
import { type KillableSignin, startKillableSignin } from '../../support/signin/killable-signin.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** `KILLS=200` makes the run longer. */
const KILLS = Number(process.env.KILLS ?? 10);
const PEOPLE = ['ada', 'blaise', 'carl', 'david', 'emmy', 'felix'];
const dataDir = temporaryFolder('signin-kill', afterAll);

/** Returns a time from 20 to 819 ms that depends on the round alone. */
const momentOf = (round: number): number =>
  20 + (createHash('sha256').update(`sign-in ${round}`).digest().readUInt32BE() % 800);

/** Signs several people in repeatedly until the service is gone, and returns all sign-ins that began. */
async function signInUntilKilled(service: KillableSignin, onFirst: () => void): Promise<Course[]> {
  const courses: Course[] = [];
  let isGone = false;
  let turn = 0;
  await Promise.all(
    PEOPLE.map(async (person) => {
      while (!isGone) {
        try {
          const course = await beginCourse(service, person);
          if (courses.push(course) === 1) onFirst();
          await runCourse(service, course, RESTS[turn++ % RESTS.length] ?? 'begun');
        } catch (error) {
          // `fetch` sets a cause when a connection was cut or refused
          if (!(error instanceof TypeError && error.cause)) throw error;
          isGone = true;
        }
      }
    }),
  );
  return courses;
}

describe('a process that is killed with SIGKILL under sign-ins', () => {
  let service: KillableSignin | undefined;

  afterAll(async () => {
    await service?.kill();
  });

  it(
    `loses no sign-in, no response, no used code and no revocation over ${KILLS} kills, and issues tokens once per code`,
    async () => {
      const started = await startKillableSignin(dataDir);
      service = started;
      const faults: string[] = [];
      const ended: Awaited<ReturnType<typeof resumeCourse>>[] = [];
      const moments: Record<string, number> = {};
      for (let round = 0; round < KILLS; round++) {
        let killed: Promise<void> | undefined;
        const courses = await signInUntilKilled(started, () => {
          killed = new Promise((resolve) => {
            setTimeout(() => resolve(started.kill()), momentOf(round));
          });
        });
        await killed;
        await started.start();
        for (const course of courses) {
          const { reached, asked } = course;
          const moment = asked === undefined ? reached : `asked: ${asked}`;
          moments[moment] = (moments[moment] ?? 0) + 1;
          try {
            ended.push(await resumeCourse(started, course));
          } catch (error) {
            faults.push(`round ${round}, ${moment}: ${messageOf(error)}`);
          }
        }
      }
      // codes and tokens invalid in an earlier round stay invalid in the last one
      await started.kill();
      await started.start();
      for (const { code, accessToken } of ended) {
        if ((await started.redeem(code)).status !== 400) faults.push('a used code works');
        if (accessToken !== undefined && (await started.userinfo(accessToken)) !== 401) {
          faults.push('a revoked token works');
        }
      }
      const code = await started.stop();
      console.log(`kill -9: ${KILLS} kills, ${ended.length} sign-ins, ${faults.length} faults,`);
      console.log('sign-ins by state at the kill:', moments);
      expect(faults).toEqual([]);
      expect(ended.length).toBeGreaterThan(KILLS);
      expect(code).toBe(0);
    },
    120_000 + KILLS * 30_000,
  );
});
