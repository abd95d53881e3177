/** Whether this is `npm run test:all`. A file gates with it the long tests that need the set-up of its others. */
export const RUNS_ALL: boolean = process.env.PROOFGATE_TESTS === 'all';

/**
 * Returns how many cases of a property are tried: all of them with `npm run test:all`, some with `npm test`. Each number
 * tests the rule; more cases look for rare exceptions.
 */
export function casesOf(all: number, some: number): number {
  return RUNS_ALL ? all : some;
}
