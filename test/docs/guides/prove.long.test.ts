import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IDKit, proofOfHuman } from '@worldcoin/idkit-core';
import { signRequest } from '@worldcoin/idkit-server';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  BROWSER_TEST,
  CHROMIUM_SKIP,
  isChromiumPresent,
  useWatchedPage,
} from '../../support/browser/browser.ts';
import { CIRCUIT_SKIP, developmentCircuit } from '../../support/crypto/development-circuit.ts';
import { loadIdkitInNode } from '../../support/interop/idkit.ts';
import { type DevelopmentService, startDevelopmentService } from './support/development-service.ts';
import { type RunningProgram, runShell, startByShell } from './support/program.ts';
import { GUIDE_ADDRESS, makeScratch, snippet } from './support/snippets.ts';

const isAbsent = developmentCircuit === undefined || !isChromiumPresent;

describe.skipIf(isAbsent).each(['3.0', '4.0'] as const)(
  `the page of prove.md with the back end of verify.md, World ID %s${CIRCUIT_SKIP}${CHROMIUM_SKIP}`,
  BROWSER_TEST,
  (protocol) => {
    const scratch = makeScratch();
    let service: DevelopmentService;
    let app: { readonly app_id: `app_${string}`; readonly rp_id: string };
    let backEnd: RunningProgram & { readonly origin: string };
    const watched = useWatchedPage((fault) => /rejected|409/.test(fault));

    beforeAll(async () => {
      service = await startDevelopmentService({
        PROOFGATE_VERIFY_WORLDID4_ENABLED: String(protocol === '4.0'),
      });
      const add = 'npx proofgate apps add --name Poll --staging --json > poll.json';
      await runShell(scratch, 'prove', [], service, add);
      app = JSON.parse(readFileSync(join(scratch.folder, 'poll.json'), 'utf8')) as typeof app;
      if (protocol === '4.0') {
        const seeded = await runShell(scratch, 'prove', ['seed.sh'], service);
        expect(seeded.code, seeded.stderr).toBe(0);
      }
      for (const file of ['vote.ts', 'public/index.html']) scratch.add('prove', file);
      const script = snippet('prove', 'prove.ts').replace('app_…', app.app_id);
      scratch.write('prove.ts', script.replaceAll(GUIDE_ADDRESS, service.baseUrl));
      const built = await runShell(scratch, 'prove', ['build.sh'], service);
      expect(built.code, built.stderr).toBe(0);
      for (const file of ['proofgate.ts', 'server.ts']) scratch.add('verify', file);
      backEnd = await startByShell(scratch, {
        guide: 'verify',
        file: 'start-express.sh',
        values: {
          [GUIDE_ADDRESS]: service.baseUrl,
          'rp_…': app.rp_id,
          'PROOFGATE_PROTOCOL=3.0': `PROOFGATE_PROTOCOL=${protocol}`,
        },
      });
    });
    afterAll(async () => {
      await backEnd?.end();
      await service?.end();
      scratch.end();
    });

    const unchanged = (command: string): string => command;

    /** Answers a request with the command of the guide. */
    async function approve(link: string, change = unchanged): Promise<void> {
      const command = change(snippet('prove', 'approve.sh')).replace(/LINK='.*'/, `LINK='${link}'`);
      const { code, stderr } = await runShell(scratch, 'prove', [], service, command);
      expect(code, stderr).toBe(0);
    }

    /** Votes, and answers with the command of the guide. Returns the text of the page. */
    async function vote(choice: 'Yes' | 'No', change: (command: string) => string): Promise<string> {
      const { page } = watched;
      await page.goto(backEnd.origin);
      await page.getByRole('button', { name: choice }).click();
      const link = (await page.locator('a[href]').getAttribute('href')) ?? '';
      await approve(link, change);
      await page.getByRole('button', { name: choice, disabled: false }).waitFor();
      return (await page.locator('output').textContent()) ?? '';
    }
    it('counts a vote, refuses the second of the same person, and survives a person who declines', async () => {
      expect(await vote('Yes', (command) => command.replace('--secret alice', '--decline'))).toBe(
        'You have not voted. You can try again.',
      );
      expect(await vote('Yes', unchanged)).toBe('Thank you, your vote counts.');
      expect(await vote('No', unchanged)).toBe('You have voted before. Your first vote counts.');
      expect(watched.faults).toEqual([]);
    });

    it('gets an answer of this version from the command to a request that allows both', async () => {
      onTestFinished(await loadIdkitInNode());
      const { nonce, sig, createdAt, expiresAt } = signRequest({
        signingKeyHex: 'ab'.repeat(32),
        action: 'vote',
      });
      const times = { created_at: createdAt, expires_at: expiresAt };
      const request = await IDKit.request({
        app_id: app.app_id,
        action: 'vote',
        bridge_url: service.baseUrl,
        environment: 'staging',
        allow_legacy_proofs: true,
        rp_context: { rp_id: app.rp_id, nonce, signature: sig, ...times },
      }).preset(proofOfHuman({ signal: 'yes' }));
      await approve(request.connectorURI);
      const { result } = await request.pollOnce();
      const identifier = protocol === '3.0' ? 'orb' : 'proof_of_human';
      expect(result).toMatchObject({ protocol_version: protocol, nonce, responses: [{ identifier }] });
      const verified = await fetch(`${service.baseUrl}/api/v4/verify/${app.rp_id}`, {
        method: 'POST',
        body: JSON.stringify(result),
      });
      expect([verified.status, await verified.json()]).toMatchObject([
        200,
        { success: true, action: 'vote' },
      ]);
    });
  },
);
