import { describe, expect, it } from 'vitest';
import { Clock } from '../../../bench/scaling/clock.ts';
import { Machine, Thread } from '../../../bench/scaling/machine.ts';
import { exponential, seededRandom } from '../../../bench/scaling/random.ts';

const SERVICE_US = 100;

/** Mean wait of jobs that arrive in a Poisson process at one thread with a core of its own. */
function meanWaitUs(load: number, serviceOf: (random: () => number) => number): number {
  const clock = new Clock();
  const thread = new Thread(new Machine(clock, 1));
  const random = seededRandom(42);
  let [waits, count] = [0, 0];
  const arrive = (): void => {
    const [began, us] = [clock.now, serviceOf(random)];
    thread.add(us, () => {
      waits += clock.now - began - us;
      count++;
    });
    clock.after(exponential(random, SERVICE_US / load), arrive);
  };
  arrive();
  clock.runUntil(60e6);
  return waits / count;
}

describe('machine of the simulation', () => {
  it.each([0.3, 0.5, 0.8])('has the mean wait of an M/D/1 queue at a load of %s', (load) => {
    const expected = (load * SERVICE_US) / (2 * (1 - load));
    const ratio = meanWaitUs(load, () => SERVICE_US) / expected;
    expect(Math.abs(ratio - 1)).toBeLessThan(0.05);
  });

  it.each([0.3, 0.5, 0.8])('has the mean wait of an M/M/1 queue at a load of %s', (load) => {
    const expected = (load * SERVICE_US) / (1 - load);
    const ratio = meanWaitUs(load, (random) => exponential(random, SERVICE_US)) / expected;
    expect(Math.abs(ratio - 1)).toBeLessThan(0.05);
  });

  it('divides its cores evenly between threads that have enough to do', () => {
    const clock = new Clock();
    const machine = new Machine(clock, 2);
    const threads = Array.from({ length: 3 }, () => new Thread(machine));
    for (const thread of threads) thread.add(10e6, () => undefined);
    clock.runUntil(3e6);
    for (const { busyUs } of threads) expect(Math.abs(busyUs - 2e6)).toBeLessThan(5000);
  });

  it('charges a thread for each start on a core, not for jobs that follow each other', () => {
    const clock = new Clock();
    const thread = new Thread(new Machine(clock), 30);
    for (let job = 0; job < 3; job++) thread.add(100, () => undefined);
    clock.after(1000, () => thread.add(100, () => undefined));
    clock.runUntil(2000);
    expect(thread.busyUs).toBe(4 * 100 + 2 * 30);
    expect(thread.starts).toBe(2);
  });

  it('runs events in the order of their times, and those of one time in the order of scheduling', () => {
    const clock = new Clock();
    const seen: string[] = [];
    for (const [us, name] of [
      [30, 'd'],
      [10, 'a'],
      [20, 'b'],
      [20, 'c'],
    ] as const) {
      clock.after(us, () => seen.push(name));
    }
    clock.runUntil(25);
    expect(seen.join('')).toBe('abc');
    expect(clock.now).toBe(25);
    clock.runUntil(30);
    expect(seen.join('')).toBe('abcd');
  });
});
