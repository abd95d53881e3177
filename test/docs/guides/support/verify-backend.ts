/** The back ends of the guide `verify.md`, which behave alike in all languages. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { CredentialRequest, IDKit, type IDKitResult, orbLegacy, type RpContext } from '@worldcoin/idkit-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type IdkitApp, startIdkitApp } from '../../../support/interop/idkit.ts';
import { type ListeningApp, listenApp } from '../../../support/interop/relying-party.ts';
import { type RunningProgram, startByShell } from './program.ts';
import { GUIDE_ADDRESS, makeScratch, type Scratch } from './snippets.ts';

/** Version of World ID whose people a back end counts. */
type Protocol = '3.0' | '4.0';

/** What a proxy between back end and service does with a request. */
type Disturbance = 'busy' | 'cut-after' | 'unknown-app';

const UNKNOWN_APP = '/api/v4/verify/rp_0000000000000000';

interface Proxy extends ListeningApp {
  /** Disturbances of the next requests, in order; later requests pass. */
  readonly next: Disturbance[];
  /** Bodies that arrived. */
  readonly bodies: string[];
}

/** Starts a proxy that is busy, or that loses an answer after the service has worked. */
async function startProxy(baseUrl: string): Promise<Proxy> {
  const next: Disturbance[] = [];
  const bodies: string[] = [];
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    bodies.push(body.toString());
    const disturbance = next.shift();
    if (disturbance === 'busy') {
      response.writeHead(503, { 'retry-after': '1' }).end('{"success":false,"code":"engine_busy"}');
      return;
    }
    const path = disturbance === 'unknown-app' ? UNKNOWN_APP : request.url;
    const answer = await fetch(`${baseUrl}${path}`, { method: 'POST', body });
    const text = await answer.text();
    if (disturbance === 'cut-after') response.destroy();
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  };
  const app = await listenApp(() => (request, response) => void pass(request, response));
  return { ...app, next, bodies };
}

/** A back end of the guide. */
export interface BackEnd {
  /** Its framework, with the language. */
  readonly name: string;
  /** Missing requirement; if set, the tests are skipped and their title says why. */
  readonly missing: string | undefined;
  /** Files of the guide that it consists of. */
  readonly files: readonly string[];
  /** Shell block that starts it. */
  readonly start: string;
  /** Whether it signs the requests of IDKit, and takes results for its own nonces only. */
  readonly signs: boolean;
  /** Adds what the packages of the reader are to the folder. Returns further variables. */
  prepare(scratch: Scratch): Readonly<Record<string, string>>;
}

/** Tests a back end of `verify.md` against the service, with the results of IDKit for the people of each version. */
export function describeBackEnd(row: BackEnd): void {
  describeProtocol(row, '3.0');
  describeProtocol(row, '4.0');
}

function describeProtocol(
  { name, missing, files, start, signs, prepare }: BackEnd,
  protocol: Protocol,
): void {
  const skip = missing === undefined ? '' : ` [skipped: ${missing}]`;
  describe.skipIf(missing !== undefined)(
    `the back end of verify.md in ${name}, World ID ${protocol}${skip}`,
    () => {
      const scratch = makeScratch();
      let app: IdkitApp;
      let proxy: Proxy;
      let backEnd: RunningProgram & { readonly origin: string };
      beforeAll(async () => {
        app = await startIdkitApp();
        proxy = await startProxy(app.interop.issuer);
        for (const file of files) scratch.add('verify', file);
        const values = {
          [GUIDE_ADDRESS]: proxy.origin,
          'rp_…': app.rpId,
          'PROOFGATE_PROTOCOL=3.0': `PROOFGATE_PROTOCOL=${protocol}`,
        };
        const env = prepare(scratch);
        backEnd = await startByShell(scratch, { guide: 'verify', file: start, values, env });
      });
      afterAll(async () => {
        await backEnd?.end();
        await proxy?.end();
        await app?.end();
        scratch.end();
      });

      /** Asks as the page does, with the signature of the back end. */
      async function prove(
        person: string,
        signal: string,
        action = 'vote',
        version = protocol,
      ): Promise<IDKitResult> {
        const config = { ...app.config(action), action, allow_legacy_proofs: version === '3.0' };
        const rp_context = signs ? (await signedRequest()).rp_context : config.rp_context;
        const builder = IDKit.request({ ...config, rp_context });
        const request = await (version === '3.0'
          ? builder.preset(orbLegacy({ signal }))
          : builder.constraints(CredentialRequest('proof_of_human', { signal })));
        return await app.answer(request, { person });
      }

      async function signedRequest(): Promise<{ readonly rp_context: RpContext }> {
        const response = await fetch(`${backEnd.origin}/request`, { method: 'POST' });
        const signed = (await response.json()) as { readonly rp_context: RpContext };
        expect(signed).toMatchObject({ protocol, environment: 'staging', rp_context: { rp_id: app.rpId } });
        return signed;
      }

      async function vote(choice: string, proof: unknown): Promise<{ status: number; body: unknown }> {
        const response = await fetch(`${backEnd.origin}/vote`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ choice, proof }),
        });
        return { status: response.status, body: await response.json() };
      }

      it('counts a person once, whatever the proof and the vote', async () => {
        expect(await vote('yes', await prove('alice', 'yes'))).toEqual({
          status: 201,
          body: { counted: true },
        });
        expect(await vote('no', await prove('alice', 'no'))).toEqual({
          status: 409,
          body: { counted: false },
        });
        expect(await vote('no', await prove('bob', 'no'))).toEqual({ status: 201, body: { counted: true } });
      });

      const refused = (error: string) => ({ status: 403, body: { error } });

      it('refuses a proof for another vote, another action and an unknown root', async () => {
        expect(await vote('no', await prove('carol', 'yes'))).toEqual(refused('invalid_proof'));
        expect(await vote('yes', await prove('carol', 'yes', 'other'))).toEqual(refused('invalid_proof'));
        const result = await prove('carol', 'yes');
        const [item] = result.responses;
        const withItem = (change: object) => ({ ...result, responses: [{ ...item, ...change }] });
        const [rootless, code] =
          protocol === '3.0'
            ? [withItem({ merkle_root: '0x1' }), 'invalid_merkle_root']
            : [withItem({ proof: [...(item?.proof ?? []).slice(0, 4), '1'] }), 'invalid_root'];
        expect(await vote('yes', rootless)).toEqual(refused(code));
        expect(await vote('yes', withItem({ nullifier: 'x' }))).toEqual(refused('validation_error'));
      });

      it('refuses another version, another credential and two of them, without a request', async () => {
        const count = proxy.bodies.length;
        const result = await prove('carol', 'yes');
        const other = await prove('carol', 'yes', 'vote', protocol === '3.0' ? '4.0' : '3.0');
        expect(await vote('yes', other)).toEqual(refused('protocol_version'));
        const [item] = result.responses;
        for (const responses of [[{ ...item, identifier: 'device' }], [item, item], []])
          expect(await vote('yes', { ...result, responses })).toEqual(refused('identifier'));
        expect(proxy.bodies).toHaveLength(count);
      });

      it.runIf(signs)('refuses a nonce that it has not issued', async () => {
        const result = await prove('carol', 'yes');
        expect(await vote('yes', { ...result, nonce: app.config().rp_context.nonce })).toEqual(
          refused('unknown_nonce'),
        );
      });

      it('refuses what is no vote or no proof, without a request', async () => {
        const count = proxy.bodies.length;
        expect((await vote('perhaps', await prove('carol', 'perhaps'))).status).toBeOneOf([400, 422]);
        expect(proxy.bodies).toHaveLength(count);
      });

      it('waits and repeats the same request while the service is busy', async () => {
        const count = proxy.bodies.length;
        proxy.next.push('busy');
        expect(await vote('yes', await prove('dave', 'yes'))).toMatchObject({ status: 201 });
        const [first, second, ...more] = proxy.bodies.slice(count);
        expect([first, more]).toEqual([second, []]);
      });

      it('counts a person whose first answer was lost, although the service answers reuse', async () => {
        proxy.next.push('cut-after');
        expect(await vote('yes', await prove('erin', 'yes'))).toEqual({
          status: 201,
          body: { counted: true },
        });
      });

      it('tells a fault of the configuration from a bad proof', async () => {
        proxy.next.push('unknown-app');
        expect(await vote('yes', await prove('frank', 'yes'))).toEqual({
          status: 502,
          body: { error: 'try_again_later' },
        });
        // the output of the process comes behind its answer
        await expect.poll(() => backEnd.output()).toContain('app_not_migrated');
      });
    },
  );
}
