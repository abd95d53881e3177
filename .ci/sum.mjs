/** Adds up the results of every runner of one CI run; the last line is the sum. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2];
const sum = { passed: 0, failed: 0, skipped: 0 };
const skippedNames = new Set();
const failures = [];

for (const file of readdirSync(folder)
  .filter((name) => name.startsWith('vitest-'))
  .sort()) {
  const report = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const counts = {
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: 0,
  };
  counts.skipped = report.numPendingTests + report.numTodoTests;
  // A file that fails to load has no failed test.
  const brokenFiles = report.testResults.filter(
    (entry) => entry.status === 'failed' && entry.assertionResults.length === 0,
  );
  counts.failed += brokenFiles.length;
  for (const { name, message } of brokenFiles) failures.push(`${file}: ${name}\n${excerpt(message)}`);
  for (const test of report.testResults.flatMap((entry) => entry.assertionResults)) {
    if (test.status === 'pending' || test.status === 'skipped') skippedNames.add(`${file}: ${test.fullName}`);
    if (test.status === 'failed')
      failures.push(`${file}: ${test.fullName}\n${excerpt(test.failureMessages.join('\n'))}`);
  }
  for (const key of Object.keys(sum)) sum[key] += counts[key];
}

/** Returns the start of a failure's message. Vitest reports a timeout without its text. */
function excerpt(message = '') {
  return message
    .replace('STACK_TRACE_ERROR', 'the test exceeded its time limit')
    .split('\n')
    .slice(0, 25)
    .map((line) => `    ${line.slice(0, 300)}`)
    .join('\n');
}

for (const file of readdirSync(folder).filter((name) => /^cargo.*\.log$/.test(name))) {
  const log = readFileSync(join(folder, file), 'utf8');
  for (const [, name] of log.matchAll(/^test (\S+) \.\.\. FAILED$/gm)) failures.push(`${file}: ${name}`);
  for (const [, name] of log.matchAll(/^test (\S+) \.\.\. ignored/gm)) skippedNames.add(`${file}: ${name}`);
  for (const match of log.matchAll(/test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/g)) {
    sum.passed += Number(match[1]);
    sum.failed += Number(match[2]);
    sum.skipped += Number(match[3]);
  }
  for (const [name, reasons] of skippedParts(log)) {
    sum.passed -= 1;
    sum.skipped += 1;
    for (const reason of reasons) skippedNames.add(`${file}: ${name}: ${reason}`);
  }
}

/**
 * Returns the tests of Rust that passed without what the machine lacks, by their output (`--show-output`): each with its lines
 * `skipped: …`. Such a test counts as skipped, also if only a part of it was.
 */
function skippedParts(log) {
  const found = [];
  for (const output of log.split(/^successes:$/m).slice(1)) {
    const [ofSuccesses] = output.split(/^(?:failures:|test result: .*)$/m);
    for (const section of ofSuccesses.split(/^---- /m).slice(1)) {
      const [name] = section.split(' ');
      const reasons = [...section.matchAll(/^skipped: (.*)$/gm)].map(([, reason]) => reason);
      if (reasons.length > 0) found.push([name, reasons]);
    }
  }
  return found;
}

const failedSteps = existsSync(join(folder, 'failed-steps'))
  ? readFileSync(join(folder, 'failed-steps'), 'utf8').trim().split('\n')
  : [];
for (const name of skippedNames) console.log(`skipped: ${name}`);
// Last, so that they are found at the end of a long log.
for (const failure of failures) console.log(`failed: ${failure}`);
for (const name of failedSteps) console.log(`failed step: ${name}`);
// A step that failed without a failing test (lint, types, a build) counts as one failure.
if (failedSteps.length > 0 && sum.failed === 0) sum.failed = failedSteps.length;
console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
process.exit(sum.failed > 0 || failedSteps.length > 0 ? 1 : 0);
