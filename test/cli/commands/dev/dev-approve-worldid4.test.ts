// Rules: spec/worldid4.md#development
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { WalletAnswer4 } from '../../../../src/development/worldid4/answer-proof-request.ts';
import type { JsonObject } from '../../../../src/json.ts';
import {
  bodyOf,
  FORMS,
  hexOf,
  itemFor,
  plaintextFor,
  proofRequest,
} from '../../../development/support/proof-request.ts';
import { CIRCUIT_SKIP, developmentCircuit } from '../../../support/crypto/development-circuit.ts';
import { type SealedMessage, seal, unseal } from '../../../support/crypto/sealed-message.ts';
import { useCircuitService } from '../../support/circuit-service.ts';
import { type CliResult, makeCliFolder } from '../../support/cli.ts';

/** A request on the bridge of the service. */
interface PostedRequest {
  readonly link: string;
  /** Returns the decrypted answer; undefined if there is none yet. */
  readAnswer(): Promise<JsonObject | undefined>;
}

describe.skipIf(developmentCircuit === undefined)(
  `proofgate dev approve of World ID 4.0 requests${CIRCUIT_SKIP}`,
  { timeout: 180_000 },
  () => {
    const service = useCircuitService({
      'verify.worldid4.enabled': 'true',
      'verify.worldid4.boundSessions': 'true',
    });
    let app: { readonly app_id: string; readonly rp_id: string };
    beforeAll(async () => {
      app = await service.folder.json(['apps', 'add', '--name', 'poll', '--staging']);
      await service.folder.json(['dev', 'worldid4', 'seed']);
    });

    async function post(plaintext: JsonObject): Promise<PostedRequest> {
      const key = randomBytes(32);
      const bridge = `${service.baseUrl}/bridge`;
      const posted = await fetch(`${bridge}/request`, {
        method: 'POST',
        body: JSON.stringify(seal(key, plaintext)),
      });
      const { request_id: id } = (await posted.json()) as { readonly request_id: string };
      const members = new URLSearchParams({ t: 'wld', i: id, k: key.toString('base64'), b: bridge });
      return {
        link: `https://world.org/verify?${members}`,
        readAnswer: async () => {
          const { response } = (await (await fetch(`${bridge}/response/${id}`)).json()) as {
            readonly response: SealedMessage | null;
          };
          return response === null ? undefined : (unseal(key, response) as JsonObject);
        },
      };
    }
    const request = (change: JsonObject = {}) => proofRequest(app.rp_id, Date.now(), change);
    const postRequest = (made: JsonObject, change: JsonObject = {}): Promise<PostedRequest> =>
      post(plaintextFor(made, { app_id: app.app_id, ...change }));
    const approve = (link: string, ...argv: readonly string[]): Promise<CliResult> =>
      approveAt(Date.now(), link, ...argv);
    const approveAt = (now: number, link: string, ...argv: readonly string[]): Promise<CliResult> =>
      service.folder.run(['dev', 'approve', link, ...argv], { now });

    async function approved(made: JsonObject, ...argv: readonly string[]) {
      const posted = await postRequest(made);
      const { code, stdout, stderr } = await approve(posted.link, '--secret', 'alice', '--json', ...argv);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const answer = (await posted.readAnswer()) as WalletAnswer4 | undefined;
      if (answer?.proof_response === undefined) throw new Error('expected an answer of World ID 4.0');
      return { shown: JSON.parse(stdout) as JsonObject, answer };
    }
    async function verify(body: JsonObject): Promise<JsonObject> {
      const response = await fetch(`${service.baseUrl}/api/v4/verify/${app.rp_id}`, {
        method: 'POST',
        body: JSON.stringify(body),
      });
      return (await response.json()) as JsonObject;
    }

    it('proves uniqueness with the signal, once for each person', async () => {
      const items = [itemFor('proof_of_human', 1, { signal: hexOf('yes') })];
      const made = request({ proof_requests: items });
      const { shown, answer } = await approved(made);
      expect(shown).toEqual({
        answered: 'approved',
        protocol_version: '4.0',
        kind: 'uniqueness',
        rp_id: app.rp_id,
        person: expect.stringMatching(/^[0-9a-f]{12}$/),
        credentials: ['proof_of_human'],
      });
      expect(await verify(bodyOf(answer, made, 'yes'))).toMatchObject({
        success: true,
        message: 'Proof verified successfully',
      });
      expect(await verify(bodyOf(answer, made, 'no'))).toMatchObject({ success: false });
      const again = request();
      const reuse = await verify(bodyOf((await approved(again)).answer, again));
      expect(reuse).toMatchObject({ success: true, message: expect.stringContaining('(nullifier reuse)') });
      const other = request();
      const { answer: others } = await approved(other, '--secret', 'bob');
      expect(await verify(bodyOf(others, other))).toMatchObject({ message: 'Proof verified successfully' });
    });

    it.each<[keyof typeof FORMS, string]>([
      ['session create', 'new'],
      ['create_session', 'old'],
    ])(
      'creates a session, form %s of a wallet of the kind %s, which the person proves later and nobody else can',
      async (form, wallet) => {
        const made = request(FORMS[form]);
        const { shown, answer } = await approved(made, '--wallet', wallet);
        const { session_id: sessionId } = answer.proof_response;
        expect(shown).toMatchObject({ kind: 'create-session', session_id: sessionId });
        expect(await verify(bodyOf(answer, made))).toMatchObject({
          success: true,
          session_id: sessionId,
          message: 'Session proof verified successfully',
        });
        const prove = () => request({ proof_type: 'session', session_id: sessionId, action: null });
        const returning = prove();
        const proven = await approved(returning, '--protocol', '4.0');
        expect(proven.shown).toMatchObject({ kind: 'prove-session', session_id: sessionId });
        expect(await verify(bodyOf(proven.answer, returning))).toMatchObject({ session_id: sessionId });
        const posted = await postRequest(prove());
        const refused = await approve(posted.link, '--secret', 'bob');
        expect(refused).toMatchObject({ code: 1, stdout: '' });
        expect(refused.stderr).toContain(
          'proofgate: approve.refused: generic_error: the session is of another',
        );
        expect(await posted.readAnswer()).toEqual({ error_code: 'generic_error' });
      },
    );

    it('binds a uniqueness proof to a new session each time', async () => {
      const bind = async () => {
        const made = request(FORMS.bound);
        const { shown, answer } = await approved(made, '--secret', 'dave');
        const { session_id } = answer.proof_response;
        expect(shown).toMatchObject({ kind: 'bound', session_id });
        return { session_id, verdict: await verify(bodyOf(answer, made)) };
      };
      const [first, second] = [await bind(), await bind()];
      expect(first.verdict).toMatchObject({
        session_id: first.session_id,
        message: 'Proof verified successfully',
      });
      const { nullifier } = first.verdict;
      expect(second.verdict).toMatchObject({
        session_id: second.session_id,
        nullifier,
        message: expect.stringContaining('reuse'),
      });
      expect(second.session_id).not.toBe(first.session_id);
    });

    it.each<[string, JsonObject, JsonObject, readonly string[], string]>([
      ['malformed_request', { version: 2 }, {}, [], 'version: expected 1'],
      ['rp_signature_expired', { created_at: 1, expires_at: 2 }, {}, [], 'the request has expired'],
      ['malformed_request', FORMS.create_session, {}, [], 'proof_type, session_id: expected the form'],
      [
        'malformed_request',
        FORMS.bound,
        {},
        ['--wallet', 'old'],
        'proof_type, session_id: expected the form',
      ],
      ['malformed_request', { salt: 1 }, {}, ['--wallet', 'old'], 'expected no member "salt"'],
      ['credential_unavailable', {}, {}, ['--lacks', 'proof_of_human'], 'none of the requested credentials'],
      ['world_id_4_not_available', {}, {}, ['--protocol', '3.0'], 'for World ID 4.0 only'],
      [
        'world_id_3_not_available',
        {},
        { proof_request: null },
        ['--protocol', '4.0'],
        'for World ID 3.0 only',
      ],
      [
        'unknown_rp',
        { rp_id: 'rp_0000000000000001', oprf_key_id: '0x1' },
        {},
        [],
        'no OPRF key of rp_0000000000000001',
      ],
      [
        'unknown_rp',
        { rp_id: 'rp_0000000000000001', oprf_key_id: '0x1' },
        { allow_legacy_proofs: true },
        ['--protocol', '4.0'],
        'no OPRF key',
      ],
    ])('answers with %s: %j, %j, %j', async (errorCode, change, plaintext, argv, reason) => {
      const posted = await postRequest(request(change), plaintext);
      const { code, stderr } = await approve(posted.link, ...argv);
      expect(code).toBe(1);
      expect(stderr).toContain(`proofgate: approve.refused: ${errorCode}: `);
      expect(stderr).toContain(reason);
      expect(await posted.readAnswer()).toEqual({ error_code: errorCode });
    });

    it.each<[string, JsonObject, readonly string[], string]>([
      ['4.0 by default', {}, [], 'proof_response'],
      ['3.0 if asked', {}, ['--protocol', '3.0'], 'merkle_root'],
      [
        '3.0 if the state of 4.0 is absent',
        { rp_id: 'rp_0000000000000001', oprf_key_id: '0x1' },
        [],
        'merkle_root',
      ],
      ['3.0 in another environment', {}, ['production'], 'merkle_root'],
    ])('answers a request that allows both by %s', async (_, change, [option, value], member) => {
      const environment = option === 'production' ? option : 'staging';
      const posted = await postRequest(request(change), { allow_legacy_proofs: true, environment });
      const { code, stderr } = await approve(
        posted.link,
        ...(value === undefined ? [] : ['--protocol', value]),
      );
      expect(code, stderr).toBe(0);
      expect(await posted.readAnswer()).toHaveProperty(member);
    });

    /** Answers a request of this time, and returns what the app received. */
    async function answerAt(now: number, form: JsonObject, ...argv: readonly string[]) {
      const posted = await postRequest(proofRequest(app.rp_id, now, form));
      const { code, stderr } = await approveAt(now, posted.link, '--secret', 'erin', ...argv);
      expect([0, 1], stderr).toContain(code);
      return (await posted.readAnswer()) as (JsonObject & Partial<WalletAnswer4>) | undefined;
    }

    it('refuses the same uniqueness after ten minutes, on this installation only', async () => {
      const start = Date.now();
      const nullifierOf = async (...of: Parameters<typeof answerAt>): Promise<string | undefined> =>
        (await answerAt(...of))?.proof_response?.responses[0]?.nullifier;
      // Neither a declined nor a failed request is remembered, nor a session.
      expect(await answerAt(start - 900_000, {}, '--decline')).toEqual({ error_code: 'user_rejected' });
      const lacking = await answerAt(start - 900_000, {}, '--lacks', 'proof_of_human');
      expect(lacking).toEqual({ error_code: 'credential_unavailable' });
      expect(await nullifierOf(start - 900_000, FORMS['session create'])).toBeUndefined();

      const nullifier = await nullifierOf(start, {});
      expect(nullifier).toMatch(/^nil_/);
      expect(await nullifierOf(start + 600_000, FORMS.bound)).toBe(nullifier);
      const replayed = { error_code: 'nullifier_replayed' };
      const later = start + 600_001;
      for (const form of [FORMS.uniqueness, FORMS.bound])
        expect(await answerAt(later, form)).toEqual(replayed);
      expect(await answerAt(later, FORMS['session create'])).toHaveProperty('proof_response');
      expect(await nullifierOf(later, {}, '--installation', 'tablet')).toBe(nullifier);
      expect(await nullifierOf(later, {}, '--recover')).toBe(nullifier);
      const again = later + 600_001;
      expect(await answerAt(again, {})).toEqual(replayed);
      expect(await answerAt(again, {}, '--installation', 'tablet')).toEqual(replayed);
      expect(await nullifierOf(later + 365 * 86_400_000, {})).toBe(nullifier);
    });

    it('records a nullifier before it sends the answer', async () => {
      const key = randomBytes(32);
      const plaintext = plaintextFor(request(), { app_id: app.app_id });
      const path = join(service.folder.path, 'wallet-installations', 'lost.nullifiers');
      let recorded = '';
      const bridge = createServer((incoming, response) => {
        if (incoming.method === 'GET') response.end(JSON.stringify(seal(key, plaintext)));
        else {
          recorded = readFileSync(path, 'utf8');
          response.writeHead(500).end();
        }
      });
      onTestFinished(() => void bridge.close());
      await once(bridge.listen(0, '127.0.0.1'), 'listening');
      const { port } = bridge.address() as AddressInfo;
      const id = '0b8d0c51-7a5e-4b4f-9d7e-5d1f0a6b7c8d';
      const b = `http://127.0.0.1:${port}`;
      const members = new URLSearchParams({ t: 'wld', i: id, k: key.toString('base64'), b });
      const link = `https://world.org/verify?${members}`;
      const { code, stderr } = await approve(link, '--installation', 'lost', '--protocol', '4.0');
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('approve.failed') });
      expect(recorded).toMatch(/^\nnil_[0-9a-f]{64} \d{13}\n$/);
    });

    it('sends any error code in place of a proof', async () => {
      const posted = await postRequest(request());
      const { code, stdout } = await approve(posted.link, '--refuse', 'nullifier_replay');
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'refused: nullifier_replay\n' });
      expect(await posted.readAnswer()).toEqual({ error_code: 'nullifier_replay' });
      const two = await approve(posted.link, '--refuse', 'user_rejected', '--decline');
      expect(two).toMatchObject({ code: 2, stderr: expect.stringContaining('are two answers') });
    });

    it('needs the circuit before it takes a request, unless only 4.0 is wanted', async () => {
      const posted = await postRequest(request());
      const empty = await makeCliFolder();
      await empty.fails(['dev', 'approve', posted.link], 1, 'circuit.not_built');
      expect(await posted.readAnswer()).toBeUndefined();
      const refused = await empty.run(['dev', 'approve', posted.link, '--protocol', '4.0'], {
        now: Date.now(),
      });
      await empty.remove();
      expect(refused.stderr).toContain('world_id_4_not_available: staging has no state of World ID 4.0');
    });
  },
);
