/**
 * Requests over all public interfaces and the admin listener, whose answers must stay as they were recorded, byte for
 * byte but for what `rules.ts` and the variables of a case name. `PROOFGATE_RECORD_WIRE=1` records them anew.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CORPUS } from './support/corpus.ts';
import { IS_RECORDING, type RecordedAnswer, readRecording, writeRecording } from './support/recording.ts';
import { runCase } from './support/run-case.ts';
import { type Services, startServices } from './support/services.ts';

let services: Services;

beforeAll(async () => {
  services = await startServices();
});

afterAll(() => services?.end());

describe.each(Object.entries(CORPUS))('wire answers: %s', (name, cases) => {
  const recorded = readRecording(name);
  const answers: RecordedAnswer[] = [];

  it.each(cases.map((each) => [each.title, each] as const))('%s', async (title, each) => {
    const answer = await runCase(services, each);
    answers.push(answer);
    if (!IS_RECORDING) expect(answer).toEqual(recorded.get(title));
  });

  it('has titles of their own, each recorded', () => {
    const titles = cases.map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    if (IS_RECORDING) writeRecording(name, answers);
    else expect([...recorded.keys()]).toEqual(titles);
  });
});
