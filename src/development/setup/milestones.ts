/** A place on the way of a long task. Seconds are those of one measured run; only their ratios matter. */
export interface Milestone {
  /** Where the task is. */
  readonly seconds: number;
  /** Where the next milestone is; the task is before it until it is reached. */
  readonly nextSeconds: number;
  /** What is being done, for people. */
  readonly what: string;
}

/** Seconds of the whole setup in the measured run, on two cores. */
export const SETUP_SECONDS = 172;

const ACCUMULATE = 'powers of tau';
const PREPARE = 'preparing phase 2';
const PROVING_KEY = 'writing the proving key';

/** Start of a message of snarkjs, and the second at which it came in the measured run. */
const ROWS: readonly (readonly [message: string, seconds: number, what: string])[] = [
  ['', 0, 'compiling the circuit'],
  ['Calculating First Challenge Hash', 4, ACCUMULATE],
  ['applying keytauG1', 5, ACCUMULATE],
  ['applying keytauG2', 7, ACCUMULATE],
  ['applying keyalphaTauG1', 11, ACCUMULATE],
  ['Starting section: tauG1', 13, PREPARE],
  ['tauG1: fft 11 mix start', 15, PREPARE],
  ['tauG1: fft 12 mix start', 17, PREPARE],
  ['tauG1: fft 13 mix start', 22, PREPARE],
  ['tauG1: fft 14 mix start', 31, PREPARE],
  ['tauG1: fft 14 mix end', 43, PREPARE],
  ['Starting section: tauG2', 51, PREPARE],
  ['tauG2: fft 11 mix start', 55, PREPARE],
  ['tauG2: fft 12 mix start', 60, PREPARE],
  ['tauG2: fft 12 mix end', 69, PREPARE],
  ['tauG2: fft 13 mix start', 75, PREPARE],
  ['tauG2: fft 13 mix end', 100, PREPARE],
  ['Starting section: alphaTauG1', 116, PREPARE],
  ['alphaTauG1: fft 11 mix start', 118, PREPARE],
  ['alphaTauG1: fft 12 mix start', 122, PREPARE],
  ['alphaTauG1: fft 13 mix start', 127, PREPARE],
  ['Starting section: betaTauG1', 134, PREPARE],
  ['betaTauG1: fft 11 mix start', 136, PREPARE],
  ['betaTauG1: fft 12 mix start', 138, PREPARE],
  ['betaTauG1: fft 13 mix start', 142, PREPARE],
  ['Reading r1cs', 151, PROVING_KEY],
  ['Writing points start A', 159, PROVING_KEY],
  ['Writing points start B1', 162, PROVING_KEY],
  ['Writing points start B2', 163, PROVING_KEY],
  ['Circuit hash', 169, PROVING_KEY],
  ['Applying key: H Section', 170, PROVING_KEY],
];

/**
 * Follows the messages of a setup.
 *
 * @param onReached - Called with each milestone, the first one at once.
 * @returns A function that takes the messages; those that are no milestone, or one behind, are passed over.
 */
export function followSetup(onReached: (milestone: Milestone) => void): (message: string) => void {
  let reached = -1;
  const follow = (message: string): void => {
    const index = ROWS.findIndex(([start], at) => at > reached && message.startsWith(start));
    const row = ROWS[index];
    if (row === undefined) return;
    reached = index;
    onReached({ seconds: row[1], nextSeconds: ROWS[index + 1]?.[1] ?? SETUP_SECONDS, what: row[2] });
  };
  follow('');
  return follow;
}
