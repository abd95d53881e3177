import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { beginCourse, type Course, RESTS, resumeCourse, runCourse } from '../../support/signin/course.ts';
import { type KillableSignin, startKillableSignin } from '../../support/signin/killable-signin.ts';

/** `KILLS=200` makes the run longer. */
const KILLS = Number(process.env.KILLS ?? 10);
const PERSONS = ['ada', 'blaise', 'carl', 'david', 'emmy', 'felix'];
const dataDir = mkdtempSync(join(tmpdir(), 'proofgate-signin-kill-'));

/** Milliseconds from 20 to 820 that depend on the round alone. */
const momentOf = (round: number): number =>
  20 + (createHash('sha256').update(`sign-in ${round}`).digest().readUInt32BE() % 800);

/** Signs several persons in, again and again, until the service is gone; gives every sign-in that was begun. */
async function signInUntilKilled(service: KillableSignin, onFirst: () => void): Promise<Course[]> {
  const courses: Course[] = [];
  let isGone = false;
  let turn = 0;
  await Promise.all(
    PERSONS.map(async (person) => {
      while (!isGone) {
        try {
          const course = await beginCourse(service, person);
          if (courses.push(course) === 1) onFirst();
          await runCourse(service, course, RESTS[turn++ % RESTS.length] ?? 'begun');
        } catch (error) {
          // `fetch` says why a connection was cut or refused
          if (!(error instanceof TypeError && error.cause)) throw error;
          isGone = true;
        }
      }
    }),
  );
  return courses;
}

describe('the process killed with SIGKILL under sign-ins', () => {
  let service: KillableSignin | undefined;

  afterAll(async () => {
    await service?.kill();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it(
    `loses no sign-in, no used code and no revocation over ${KILLS} kills, and gives tokens once for a code`,
    async () => {
      const started = await startKillableSignin(dataDir);
      service = started;
      const faults: string[] = [];
      const ended: Pick<Course, 'code' | 'accessToken'>[] = [];
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
            faults.push(`round ${round}, ${moment}: ${error instanceof Error ? error.message : error}`);
          }
        }
      }
      // what died in an earlier life is dead in the last one
      await started.kill();
      await started.start();
      let lostResponses = 0;
      for (const { code, accessToken } of ended) {
        if (code === undefined) lostResponses++;
        else if ((await started.redeem(code)).status !== 400) faults.push('a used code works');
        if (accessToken !== undefined && (await started.userinfo(accessToken)) !== 401) {
          faults.push('a revoked token works');
        }
      }
      const code = await started.stop();
      console.log(`kill -9: ${KILLS} kills, ${ended.length} sign-ins, ${faults.length} faults,`);
      console.log(`${lostResponses} responses went down with the service; at the kill they were`, moments);
      expect(faults).toEqual([]);
      expect(ended.length).toBeGreaterThan(KILLS);
      expect(code).toBe(0);
    },
    120_000 + KILLS * 30_000,
  );
});
