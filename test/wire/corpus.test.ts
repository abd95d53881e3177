/**
 * Requests over all public interfaces and the admin listener. Their answers must equal the recorded ones byte
 * for byte, except for the values that `rules.ts` and the variables of a case replace.
 * `PROOFGATE_RECORD_WIRE=1` records again.
 */
import { describe, expect, it } from 'vitest';
import { opened } from '../support/opened.ts';
import { CORPUS } from './support/corpus.ts';
import { IS_RECORDING, type RecordedAnswer, readRecording, writeRecording } from './support/recording.ts';
import { runCase } from './support/run-case.ts';
import { startServices } from './support/services.ts';

const services = opened(startServices, 'end');

describe.each(Object.entries(CORPUS))('wire answers: %s', (name, cases) => {
  const recorded = readRecording(name);
  const answers: RecordedAnswer[] = [];

  it.each(cases.map((each) => [each.title, each] as const))('%s', async (title, each) => {
    const answer = await runCase(services, each);
    answers.push(answer);
    if (!IS_RECORDING) expect(answer).toEqual(recorded.get(title));
  });

  it('has unique titles, each of which is recorded', () => {
    const titles = cases.map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    if (IS_RECORDING) writeRecording(name, answers);
    else expect([...recorded.keys()]).toEqual(titles);
  });
});
