/**
 * Fuzzes one reader and prints a line of JSON at each so many executions; ends with code 1 at a finding.
 *
 *   node --import tsx test/support/forms/fuzz-process.ts READER EXECUTIONS SEED
 */
import { type FuzzCounts, fuzz, READERS, type ReaderName } from './fuzz.ts';

const [reader, executions, seed] = process.argv.slice(2);
if (!READERS.includes(reader as ReaderName)) throw new Error(`no reader ${reader}: ${READERS.join(', ')}`);

// Most executions end with an error, whose stack nobody reads.
Error.stackTraceLimit = 0;
const print = (counts: FuzzCounts): void =>
  void process.stdout.write(`${JSON.stringify({ reader, ...counts })}\n`);
try {
  print(fuzz(reader as ReaderName, Number(executions), Number(seed), print));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
