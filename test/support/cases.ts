/**
 * Returns how many cases of a property are tried: all of them with `npm run test:all`, some with `npm test`. Each number
 * tests the rule; more cases look for rare exceptions.
 */
export function casesOf(all: number, some: number): number {
  return process.env.PROOFGATE_TESTS === 'all' ? all : some;
}
