import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  BROWSER_TEST,
  CHROMIUM_SKIP,
  isChromiumPresent,
  useWatchedPage,
} from '../../support/browser/browser.ts';
import { CIRCUIT_SKIP, developmentCircuit } from '../../support/crypto/development-circuit.ts';
import { type DevelopmentService, startDevelopmentService } from './support/development-service.ts';
import { type RunningProgram, runShell, startByShell } from './support/program.ts';
import { GUIDE_ADDRESS, makeScratch, snippet } from './support/snippets.ts';

const isAbsent = developmentCircuit === undefined || !isChromiumPresent;

describe.skipIf(isAbsent)(
  `the page of prove.md with the back end of verify.md${CIRCUIT_SKIP}${CHROMIUM_SKIP}`,
  BROWSER_TEST,
  () => {
    const scratch = makeScratch();
    let service: DevelopmentService;
    let backEnd: RunningProgram & { readonly origin: string };
    const watched = useWatchedPage((fault) => /rejected|409/.test(fault));

    beforeAll(async () => {
      service = await startDevelopmentService();
      const add = 'npx proofgate apps add --name Poll --staging --json > poll.json';
      await runShell(scratch, 'prove', [], service, add);
      const { app_id, rp_id } = JSON.parse(readFileSync(join(scratch.folder, 'poll.json'), 'utf8')) as {
        readonly app_id: string;
        readonly rp_id: string;
      };
      for (const file of ['vote.ts', 'public/index.html']) scratch.add('prove', file);
      const script = snippet('prove', 'prove.ts').replace('app_…', app_id);
      scratch.write('prove.ts', script.replaceAll(GUIDE_ADDRESS, service.baseUrl));
      const built = await runShell(scratch, 'prove', ['build.sh'], service);
      expect(built.code, built.stderr).toBe(0);
      for (const file of ['proofgate.ts', 'server.ts']) scratch.add('verify', file);
      backEnd = await startByShell(scratch, {
        guide: 'verify',
        file: 'start-express.sh',
        values: { [GUIDE_ADDRESS]: service.baseUrl, 'rp_…': rp_id },
      });
    });
    afterAll(async () => {
      await backEnd?.end();
      await service?.end();
      scratch.end();
    });

    /** Votes, and answers with the command of the guide. Returns the text of the page. */
    async function vote(choice: 'Yes' | 'No', change: (command: string) => string): Promise<string> {
      const { page } = watched;
      await page.goto(backEnd.origin);
      await page.getByRole('button', { name: choice }).click();
      const link = (await page.locator('a[href]').getAttribute('href')) ?? '';
      const command = change(snippet('prove', 'approve.sh')).replace(/LINK='.*'/, `LINK='${link}'`);
      const { code, stderr } = await runShell(scratch, 'prove', [], service, command);
      expect(code, stderr).toBe(0);
      await page.getByRole('button', { name: choice, disabled: false }).waitFor();
      return (await page.locator('output').textContent()) ?? '';
    }
    const unchanged = (command: string): string => command;

    it('counts a vote, refuses the second of the same person, and survives a person who declines', async () => {
      expect(await vote('Yes', (command) => command.replace('--secret alice', '--decline'))).toBe(
        'You have not voted. You can try again.',
      );
      expect(await vote('Yes', unchanged)).toBe('Thank you, your vote counts.');
      expect(await vote('No', unchanged)).toBe('You have voted before. Your first vote counts.');
      expect(watched.faults).toEqual([]);
    });
  },
);
