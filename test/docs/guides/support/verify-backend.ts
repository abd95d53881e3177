/** The back ends of the guide `verify.md`, which behave alike in all languages. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { externalNullifier, hashSignal, rpIdOf } from '../../../../src/semaphore/hashes.ts';
import { toHex } from '../../../../src/semaphore/hex.ts';
import { identityFromSecret, nullifierHashOf } from '../../../../src/semaphore/identity.ts';
import { fromBe, R } from '../../../support/crypto/bn254.ts';
import { referencePoseidon } from '../../../support/crypto/reference-tree.ts';
import { trapdoor } from '../../../support/crypto/trapdoor.ts';
import { type ListeningApp, listenApp } from '../../../support/interop/relying-party.ts';
import type { SharedSignin } from '../../../support/signin/service.ts';
import { useSharedSignin } from '../../../support/signin/shared-service.ts';
import { WALLET_ROOTS } from '../../../support/test-wallet.ts';
import { type RunningProgram, startByShell } from './program.ts';
import { GUIDE_ADDRESS, makeScratch, type Scratch } from './snippets.ts';

/** A proof as IDKit hands it to a front end. */
export interface IdkitProof {
  readonly merkle_root: string;
  readonly nullifier_hash: string;
  readonly proof: string;
}

/** Makes the proof of a person for an action and a signal with the root of the test wallet. */
export async function proveAction(
  appId: string,
  { person, action, signal }: { readonly person: string; readonly action: string; readonly signal: string },
): Promise<IdkitProof> {
  const external = externalNullifier(appId, action);
  const nullifier = await nullifierHashOf(identityFromSecret(person), external, await referencePoseidon());
  const inputs = [WALLET_ROOTS.orb, nullifier, hashSignal(signal), external].map(fromBe);
  const scalar = (): bigint => (fromBe(randomBytes(48)) % (R - 1n)) + 1n;
  return {
    merkle_root: toHex(WALLET_ROOTS.orb),
    nullifier_hash: toHex(nullifier),
    proof: toHex((await trapdoor()).prove(inputs, scalar(), scalar())),
  };
}

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
  /** Adds what the packages of the reader are to the folder. Returns further variables. */
  prepare(scratch: Scratch): Readonly<Record<string, string>>;
}

/** Tests a back end of `verify.md` against the service. */
export function describeBackEnd({ name, missing, files, start, prepare }: BackEnd): void {
  const skip = missing === undefined ? '' : ` [skipped: ${missing}]`;
  describe.skipIf(missing !== undefined)(`the back end of verify.md in ${name}${skip}`, () => {
    const scratch = makeScratch();
    let service: SharedSignin;
    let proxy: Proxy;
    let appId: string;
    let backEnd: RunningProgram & { readonly origin: string };
    beforeAll(async () => {
      service = await useSharedSignin();
      proxy = await startProxy(service.baseUrl);
      appId = service.web.clientId;
      for (const file of files) scratch.add('verify', file);
      const values = { [GUIDE_ADDRESS]: proxy.origin, 'rp_…': rpIdOf(appId) };
      const env = prepare(scratch);
      backEnd = await startByShell(scratch, { guide: 'verify', file: start, values, env });
    });
    afterAll(async () => {
      await backEnd?.end();
      await proxy?.end();
      scratch.end();
    });

    const prove = (person: string, signal: string, action = 'vote'): Promise<IdkitProof> =>
      proveAction(appId, { person, action, signal });

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
      expect(await vote('no', await prove('alice', 'no'))).toEqual({ status: 409, body: { counted: false } });
      expect(await vote('no', await prove('bob', 'no'))).toEqual({ status: 201, body: { counted: true } });
    });

    it('refuses a proof for another vote, another action and an unknown root', async () => {
      const refused = (error: string) => ({ status: 403, body: { error } });
      expect(await vote('no', await prove('carol', 'yes'))).toEqual(refused('invalid_proof'));
      expect(await vote('yes', await prove('carol', 'yes', 'other'))).toEqual(refused('invalid_proof'));
      const proof = await prove('carol', 'yes');
      expect(await vote('yes', { ...proof, merkle_root: '0x1' })).toEqual(refused('invalid_merkle_root'));
      expect(await vote('yes', { ...proof, nullifier_hash: 'x' })).toEqual(refused('validation_error'));
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
      expect(await vote('yes', await prove('erin', 'yes'))).toEqual({ status: 201, body: { counted: true } });
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
  });
}
