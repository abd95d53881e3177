import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CIRCUIT_SKIP, developmentCircuit } from '../../support/crypto/development-circuit.ts';
import { type DevelopmentService, startDevelopmentService } from './support/development-service.ts';
import { runShell } from './support/program.ts';
import { GUIDE_ADDRESS, makeScratch, snippet } from './support/snippets.ts';

interface SessionResult {
  readonly nonce: string;
  readonly session_id: string;
  readonly responses: readonly { readonly session_nullifier: readonly string[] }[];
}

/** The modules of the guide. */
interface BackEnd {
  beginSession(account: string): {
    readonly session_id?: string;
    readonly rp_context: { readonly nonce: string };
  };
  finishSession(account: string, result: object | null): Promise<string>;
  forgetSession(account: string): void;
}
interface FrontEnd {
  askForSession(request: object, show: (link: string) => void): Promise<SessionResult>;
}

describe.skipIf(developmentCircuit === undefined)(
  `the front end and the back end of sessions.md${CIRCUIT_SKIP}`,
  { timeout: 180_000 },
  () => {
    const scratch = makeScratch();
    let service: DevelopmentService;
    let app: { readonly app_id: string; readonly rp_id: string };
    let backEnd: BackEnd;
    let frontEnd: FrontEnd;

    const read = (file: string): string => readFileSync(join(scratch.folder, '.proofgate', file), 'utf8');

    /** Bundles a module of the guide without its packages, and imports it. */
    async function importGuide<T>(file: string, change: (text: string) => string): Promise<T> {
      const entry = scratch.write(file, change(snippet('sessions', file)));
      const outfile = join(scratch.folder, `${file}.mjs`);
      await build({ entryPoints: [entry], outfile, bundle: true, packages: 'external', format: 'esm' });
      return (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as T;
    }

    beforeAll(async () => {
      service = await startDevelopmentService({
        PROOFGATE_VERIFY_WORLDID4_ENABLED: 'true',
        PROOFGATE_VERIFY_WORLDID4_BOUND_SESSIONS: 'true',
      });
      const added = await runShell(scratch, 'sessions', ['add-app.sh'], service);
      expect(added.code, added.stderr).toBe(0);
      app = JSON.parse(read('club.json')) as typeof app;
      vi.stubEnv('PROOFGATE_URL', service.baseUrl);
      vi.stubEnv('PROOFGATE_RP_ID', app.rp_id);
      vi.stubEnv('PROOFGATE_ENVIRONMENT', 'staging');
      vi.stubEnv('RP_SIGNING_KEY', read('club.key').trim());
      vi.stubEnv('ACCOUNTS_FILE', join(scratch.folder, 'accounts.db'));
      backEnd = await importGuide('sessions.ts', (text) => text);
      frontEnd = await importGuide('session.ts', (text) =>
        text.replace('app_…', app.app_id).replaceAll(GUIDE_ADDRESS, service.baseUrl),
      );
      const { fetch: send } = globalThis;
      vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
        const url = input instanceof Request ? input.url : String(input);
        if (!url.startsWith('file:')) return await send(input, init);
        // IDKit loads its WebAssembly by fetch, which has no files in Node.
        const bytes = Uint8Array.from(readFileSync(new URL(url)));
        return new Response(bytes, { headers: { 'Content-Type': 'application/wasm' } });
      });
    });
    afterAll(async () => {
      vi.unstubAllGlobals();
      vi.unstubAllEnvs();
      await service?.end();
      scratch.end();
    });

    /** Asks as the page does, and answers with the command of the guide. */
    async function ask(request: object, person = 'alice'): Promise<SessionResult> {
      let approval: Promise<unknown> = Promise.resolve();
      const result = frontEnd.askForSession(request, (link) => {
        const command = snippet('sessions', 'approve.sh')
          .replace(/LINK='.*'/, `LINK='${link}'`)
          .replace('alice', person);
        approval = runShell(scratch, 'sessions', [], service, command);
      });
      const [outcome] = await Promise.allSettled([result]);
      await approval;
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    }
    const code = (name: string): object => expect.objectContaining({ code: name });

    it('create a session for an account, which its person alone proves', async () => {
      const first = backEnd.beginSession('anna');
      expect(first).not.toHaveProperty('session_id');
      const created = await ask(first);
      expect(await backEnd.finishSession('anna', created)).toBe('created');
      const again = backEnd.beginSession('anna');
      expect(again.session_id).toBe(created.session_id);
      const proven = await ask(again);
      expect(await backEnd.finishSession('anna', proven)).toBe('confirmed');
      await expect(ask(backEnd.beginSession('anna'), 'bob')).rejects.toThrow('generic_error');
    });

    it('take an answer once, for the account that asked, and for its session only', async () => {
      const [created, mine] = [
        await ask(backEnd.beginSession('bea')),
        await ask(backEnd.beginSession('cleo'), 'bob'),
      ];
      // a first session that was not asked for, or not for this account
      const foreign = backEnd.finishSession('dora', created);
      await expect(foreign).rejects.toThrow(code('unknown_request'));
      await expect(backEnd.finishSession('bea', { ...created, nonce: '0x01' })).rejects.toThrow(
        code('unknown_request'),
      );
      expect(await backEnd.finishSession('bea', created)).toBe('created');
      await expect(backEnd.finishSession('bea', created)).rejects.toThrow(code('unknown_request'));
      expect(await backEnd.finishSession('cleo', mine)).toBe('created');
      // another person proves a session of their own for a request of the account
      const { session_id: _, ...request } = backEnd.beginSession('bea');
      const other = await ask({ ...request, session_id: mine.session_id }, 'bob');
      await expect(backEnd.finishSession('bea', other)).rejects.toThrow(code('invalid_proof'));
      // a proof of before, with a nonce of now
      const { rp_context } = backEnd.beginSession('bea');
      const replayed = { ...created, nonce: rp_context.nonce };
      await expect(backEnd.finishSession('bea', replayed)).rejects.toThrow(code('invalid_proof'));
      // a session that no wallet made
      const { rp_context: open } = backEnd.beginSession('gina');
      const strange = {
        ...created,
        nonce: open.nonce,
        session_id: BigInt(`0x${created.session_id.slice(8, 72)}`).toString(),
      };
      await expect(backEnd.finishSession('gina', strange)).rejects.toThrow(code('malformed'));
      await expect(backEnd.finishSession('gina', { nonce: open.nonce })).rejects.toThrow(code('malformed'));
      await expect(backEnd.finishSession('gina', null)).rejects.toThrow(code('malformed'));
      const two = await ask(backEnd.beginSession('bea'));
      const doubled = { ...two, responses: [...two.responses, ...two.responses] };
      await expect(backEnd.finishSession('bea', doubled)).rejects.toThrow(code('malformed'));
    });

    it('create another session after the account has forgotten the first', async () => {
      const before = await ask(backEnd.beginSession('edda'));
      expect(await backEnd.finishSession('edda', before)).toBe('created');
      const stale = await ask(backEnd.beginSession('edda'));
      backEnd.forgetSession('edda');
      const after = await ask(backEnd.beginSession('edda'), 'bob');
      expect(await backEnd.finishSession('edda', after)).toBe('created');
      expect(after.session_id).not.toBe(before.session_id);
      await expect(backEnd.finishSession('edda', stale)).rejects.toThrow(code('unknown_request'));
    });

    it('sign requests by the command, too; the service tells that a proof was used before, or refuses it', async () => {
      const { code: exit, stdout, stderr } = await runShell(scratch, 'sessions', ['sign.sh'], service);
      expect(exit, stderr).toBe(0);
      const rp_context = JSON.parse(stdout) as { readonly rp_id: string };
      const { rp_context: signed } = backEnd.beginSession('fred');
      expect(Object.keys(rp_context)).toEqual(Object.keys(signed));
      expect(rp_context.rp_id).toBe(app.rp_id);
      const result = await ask({ environment: 'staging', rp_context });
      const verify = async (): Promise<unknown> => {
        const url = `${service.baseUrl}/api/v4/verify/${app.rp_id}`;
        return await (await fetch(url, { method: 'POST', body: JSON.stringify(result) })).json();
      };
      const first = await verify();
      expect(first).toMatchObject({ success: true, session_id: result.session_id });
      expect(first).not.toHaveProperty('reused');
      expect(await verify()).toEqual({ ...(first as object), reused: true });
      const { code: updated, stderr: fault } = await runShell(scratch, 'sessions', ['once.sh'], service);
      expect(updated, fault).toBe(0);
      await vi.waitFor(
        async () => expect(await verify()).toMatchObject({ code: 'session_proof_reused' }),
        30_000,
      );
    });

    it('bind a uniqueness proof to a new session, whose answer has both, also on reuse', async () => {
      const bind = async (): Promise<Record<string, unknown>> => {
        const { code: exit, stdout, stderr } = await runShell(scratch, 'sessions', ['bound.sh'], service);
        expect(exit, stderr).toBe(0);
        return JSON.parse(stdout) as Record<string, unknown>;
      };
      const [first, second] = [await bind(), await bind()];
      expect(first).toMatchObject({ success: true, action: 'join', message: 'Proof verified successfully' });
      expect(second).toMatchObject({ nullifier: first.nullifier, message: expect.stringContaining('reuse') });
      expect(second.session_id).toMatch(/^session_[0-9a-f]{128}$/);
      expect(second.session_id).not.toBe(first.session_id);
    });
  },
);
