/** IDKit 4 of the development packages with the bridge and the endpoint of this service. */
import {
  all,
  any,
  type ConstraintNode,
  CredentialRequest,
  deviceLegacy,
  documentLegacy,
  enumerate,
  IDKit,
  identityCheck,
  mnc,
  orbLegacy,
  type Preset,
  passport,
  proofOfHuman,
  secureDocumentLegacy,
  selfieCheck,
  selfieCheckLegacy,
} from '@worldcoin/idkit-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hashSignal } from '../../src/semaphore/hashes.ts';
import { toHex } from '../../src/semaphore/hex.ts';
import { type IdkitApp, SIGNER, startIdkitApp } from '../support/interop/idkit.ts';
import { signerOf } from '../support/proof-request4.ts';
import { proveRequest } from '../support/test-wallet.ts';
import { openRequest4, proveRequest4, SYBIL_SCORE } from '../support/test-wallet4.ts';

const ACTION = 'vote';
const SIGNAL = 'a signal of the app';
const SIGNAL_HASH = toHex(hashSignal(SIGNAL));
const SESSION_ID = /^session_[0-9a-f]{128}$/;

let app: IdkitApp;
beforeAll(async () => {
  app = await startIdkitApp({ 'verify.worldid4.boundSessions': 'true' });
});
afterAll(async () => {
  await app?.end();
});

const build = (allow_legacy_proofs = false) =>
  IDKit.request({ ...app.config(ACTION), action: ACTION, action_description: 'Vote', allow_legacy_proofs });

describe('a preset of World ID 4.0', () => {
  const SIGNED = { signal: SIGNAL };
  /** Preset, level of its answers of 3.0, requested credentials. */
  const PRESETS: readonly [name: string, Preset, level: string, items: readonly [string, number][]][] = [
    ['proofOfHuman', proofOfHuman(SIGNED), 'orb', [['proof_of_human', 1]]],
    ['passport', passport(SIGNED), 'document', [['passport', 9303]]],
    ['mnc', mnc(SIGNED), 'document', [['mnc', 9310]]],
  ];

  it.each(PRESETS)(
    '%s: the endpoint accepts what IDKit makes of an answer of 4.0',
    async (_, preset, level, items) => {
      const request = await build().preset(preset);
      expect(await request.pollOnce()).toEqual({ type: 'waiting_for_connection' });
      const { plaintext, answer, link } = await openRequest4(request.connectorURI);
      expect(link.bridge).toBe(app.interop.issuer);
      expect(await request.pollOnce()).toEqual({ type: 'awaiting_confirmation' });
      expect(plaintext).toMatchObject({
        app_id: app.appId,
        action: ACTION,
        action_description: 'Vote',
        signal: SIGNAL_HASH,
        verification_level: level,
        allow_legacy_proofs: true,
        environment: 'staging',
      });
      const asked = plaintext.proof_request;
      if (asked === undefined) throw new Error('no proof_request');
      expect(signerOf(asked)).toBe(SIGNER);
      expect(asked.proof_requests.map((item) => [item.identifier, item.issuer_schema_id])).toEqual(items);
      const response = await proveRequest4(asked, app.store);
      expect(await answer(response)).toBe(201);
      const { type, result } = await request.pollOnce();
      const [proven] = response.responses;
      const nullifier = proven?.nullifier?.replace('nil_', '0x');
      expect([type, result]).toEqual([
        'confirmed',
        {
          protocol_version: '4.0',
          nonce: asked.nonce,
          action: ACTION,
          action_description: 'Vote',
          environment: 'staging',
          responses: [
            {
              identifier: proven?.identifier,
              issuer_schema_id: proven?.issuer_schema_id,
              proof: proven?.proof.match(/.{64}/g)?.map((hex) => `${BigInt(`0x${hex}`)}`),
              expires_at_min: asked.created_at,
              nullifier,
              signal_hash: SIGNAL_HASH,
            },
          ],
        },
      ]);
      expect(await app.verify(result)).toMatchObject({
        status: 200,
        body: { success: true, action: ACTION, nullifier, protocol_version: '4.0' },
      });
      expect((await app.verify(result, { nonce: '0x1' })).body).toMatchObject({
        code: 'all_verifications_failed',
      });
    },
  );

  it.each(PRESETS)('%s: and of an answer of 3.0, which it always allows', async (_, preset, level) => {
    const request = await build().preset(preset);
    const { plaintext, answer } = await openRequest4(request.connectorURI);
    const proof = await proveRequest(plaintext);
    await answer({ ...proof, verification_level: plaintext.verification_level });
    const { result } = await request.pollOnce();
    expect(result).toMatchObject({
      protocol_version: '3.0',
      action: ACTION,
      responses: [{ identifier: level, nullifier: proof.nullifier_hash, signal_hash: SIGNAL_HASH }],
    });
    expect(await app.verify(result)).toMatchObject({
      status: 200,
      body: { nullifier: proof.nullifier_hash, protocol_version: '3.0' },
    });
  });

  it('selfieCheck hands on the score and the bundle of the wallet', async () => {
    const request = await build(true).preset(selfieCheck(SIGNED));
    const { plaintext, answer } = await openRequest4(request.connectorURI);
    expect(plaintext.allow_legacy_proofs).toBe(false);
    if (plaintext.proof_request === undefined) throw new Error('no proof_request');
    const proof_response = await proveRequest4(plaintext.proof_request, app.store);
    const bundle = {
      version: 2,
      signature_format: 'android_keystore',
      timestamp: 1,
      signature: 'ab',
      jwt: 'a.b.c',
    };
    await answer({ proof_response, integrity_bundle: bundle });
    const { result } = await request.pollOnce();
    expect(result).toMatchObject({
      integrity_bundle: bundle,
      responses: [{ identifier: 'selfie', issuer_schema_id: 11, sybil_score: Number(SYBIL_SCORE) }],
    });
    expect((await app.verify(result)).status).toBe(200);
  });

  it('identityCheck hands on that the wallet attests attributes, which no proof covers', async () => {
    const attributes = [{ type: 'minimum_age', value: 18 }] as const;
    const request = await build().preset(identityCheck({ attributes: [...attributes] }));
    const { plaintext, answer } = await openRequest4(request.connectorURI);
    expect(plaintext).toMatchObject({ identity_attributes: attributes, allow_legacy_proofs: true });
    if (plaintext.proof_request === undefined) throw new Error('no proof_request');
    const proof_response = await proveRequest4(plaintext.proof_request, app.store);
    await answer({ proof_response, identity_attested: true });
    const { result } = await request.pollOnce();
    expect(result).toMatchObject({ identity_attested: true, responses: [{ identifier: 'passport' }] });
    for (const identity_attested of [true, false])
      expect((await app.verify(result, { identity_attested })).status).toBe(200);
  });
});

describe('a preset of World ID 3.0', () => {
  /** Preset, level, identifier in the result. */
  const LEGACY: readonly [name: string, Preset, level: string, identifier: string][] = [
    ['orbLegacy', orbLegacy({ signal: SIGNAL }), 'orb', 'orb'],
    ['deviceLegacy', deviceLegacy({ signal: SIGNAL }), 'device', 'device'],
    ['documentLegacy', documentLegacy({ signal: SIGNAL }), 'document', 'document'],
    ['secureDocumentLegacy', secureDocumentLegacy({ signal: SIGNAL }), 'secure_document', 'secure_document'],
    ['selfieCheckLegacy', selfieCheckLegacy({ signal: SIGNAL }), 'face', 'selfie'],
  ];
  type Answer = Awaited<ReturnType<typeof proveRequest>>;
  /** Forms in which wallets send an answer of 3.0. */
  const FORMS: Readonly<Record<string, (answer: Answer) => object>> = {
    verification_level: (answer) => answer,
    credential_type: ({ verification_level: credential_type, ...rest }) => ({ ...rest, credential_type }),
    both: (answer) => ({ ...answer, credential_type: answer.verification_level }),
    legacy_responses: (answer) => ({ legacy_responses: [answer] }),
  };

  it.each(LEGACY)(
    '%s: the endpoint accepts the answer in each form',
    async (_, preset, level, identifier) => {
      for (const form of Object.values(FORMS)) {
        const request = await build(true).preset(preset);
        const { plaintext, answer } = await openRequest4(request.connectorURI);
        expect(plaintext).toMatchObject({ verification_level: level, signal: SIGNAL_HASH });
        expect(plaintext).not.toHaveProperty('proof_request');
        const proof = { ...(await proveRequest(plaintext)), verification_level: level };
        await answer(form(proof));
        const { result } = await request.pollOnce();
        expect(result).toMatchObject({
          protocol_version: '3.0',
          responses: [{ identifier, merkle_root: proof.merkle_root, proof: proof.proof }],
        });
        expect((await app.verify(result)).body).toMatchObject({
          success: true,
          nullifier: proof.nullifier_hash,
        });
      }
    },
  );
});

describe('constraints', () => {
  const [human, document, number] = [
    CredentialRequest('proof_of_human', { signal: SIGNAL }),
    CredentialRequest('passport', { signal: SIGNAL }),
    CredentialRequest('mnc'),
  ];
  /** Constraints, credentials of the person, proven ones. */
  const CONSTRAINTS: readonly [string, ConstraintNode, holds: string[], proven: string[]][] = [
    ['one credential', human, ['proof_of_human'], ['proof_of_human']],
    ['any', any(document, human), ['proof_of_human', 'passport'], ['passport']],
    ['all', all(human, document), ['proof_of_human', 'passport'], ['proof_of_human', 'passport']],
    ['enumerate', enumerate(human, document, number), ['passport', 'mnc'], ['passport', 'mnc']],
    ['nested', any(document, all(human, number)), ['proof_of_human', 'mnc'], ['proof_of_human', 'mnc']],
  ];

  it.each(CONSTRAINTS)('%s: the endpoint accepts every proof', async (_, constraints, holds, proven) => {
    const result = await app.answer(await build().constraints(constraints), { holds });
    expect(result.responses.map(({ identifier }) => identifier)).toEqual(proven);
    const { body } = await app.verify(result);
    expect(body).toMatchObject({
      success: true,
      results: proven.map((identifier) => ({ identifier, success: true })),
    });
  });

  it('that nobody can satisfy end with the code of the wallet', async () => {
    const request = await build().constraints(all(human, document));
    const { plaintext, answer } = await openRequest4(request.connectorURI);
    if (plaintext.proof_request === undefined) throw new Error('no proof_request');
    await answer(await proveRequest4(plaintext.proof_request, app.store, { holds: ['passport'] }));
    expect(await request.pollOnce()).toEqual({ type: 'failed', error: 'credential_unavailable' });
  });

  it('with a bound on the first issuance leave the bound to the back end', async () => {
    const times = {
      genesis_issued_at_min: 1_700_000_000,
      expires_at_min: Math.floor(Date.now() / 1000) + 86_400,
    };
    const request = await build().constraints(CredentialRequest('passport', times));
    const result = await app.answer(request);
    expect(result.responses).toMatchObject([{ expires_at_min: times.expires_at_min }]);
    expect((await app.verify(result)).status).toBe(400);
    const bound = { credential_genesis_issued_at_min: times.genesis_issued_at_min };
    const responses = result.responses.map((item) => ({ ...item, ...bound }));
    expect((await app.verify(result, { responses })).status).toBe(200);
  });

  it('with presence: IDKit hands on what the wallet says, which no proof covers', async () => {
    const config = {
      ...app.config(ACTION),
      action: ACTION,
      allow_legacy_proofs: false,
      require_user_presence: true,
    };
    const request = await IDKit.request(config).constraints(human);
    const { plaintext, answer } = await openRequest4(request.connectorURI);
    if (plaintext.proof_request === undefined) throw new Error('no proof_request');
    const proof_response = await proveRequest4(plaintext.proof_request, app.store);
    await answer({ proof_response, user_presence_completed: true });
    const { result } = await request.pollOnce();
    expect(result).toMatchObject({ user_presence_completed: true });
    for (const user_presence_completed of [true, false])
      expect((await app.verify(result, { user_presence_completed })).status).toBe(200);
  });
});

describe('a session', () => {
  const human = CredentialRequest('proof_of_human', { signal: SIGNAL });

  it('is created and proven, and the endpoint accepts both', async () => {
    const request = await IDKit.createSession(app.config()).constraints(human);
    const { plaintext, answer } = await openRequest4(request.connectorURI);
    const asked = plaintext.proof_request;
    if (asked === undefined) throw new Error('no proof_request');
    expect(plaintext).toMatchObject({ action: '', verification_level: 'device', allow_legacy_proofs: false });
    expect(asked).toMatchObject({ proof_type: 'session', session_id: 'create' });
    expect(signerOf(asked)).toBe(SIGNER);
    const response = await proveRequest4(asked, app.store);
    await answer(response);
    const { result: created } = await request.pollOnce();
    const session = created && 'session_id' in created ? created.session_id : undefined;
    expect(session).toBe(response.session_id);
    expect(session).toMatch(SESSION_ID);
    expect(created).not.toHaveProperty('action');
    expect(created?.responses).toMatchObject([
      { session_nullifier: [/^0x/, /^0x02/].map((form) => expect.stringMatching(form)) },
    ]);
    const accepted = { success: true, session_id: session, message: 'Session proof verified successfully' };
    expect((await app.verify(created)).body).toMatchObject(accepted);

    if (session === undefined) throw new Error('no session');
    const again = await app.answer(await IDKit.proveSession(session, app.config()).constraints(any(human)));
    expect(again).toMatchObject({ session_id: session });
    expect(again.nonce).not.toBe(created?.nonce);
    expect((await app.verify(again)).body).toMatchObject(accepted);
    const [other] = [`session_${'1'.padStart(64, '0')}${session.slice(-64)}`];
    expect((await app.verify(again, { session_id: other })).status).toBe(400);
  });

  it('of another person cannot be proven', async () => {
    const created = await app.answer(await IDKit.createSession(app.config()).constraints(human));
    if (!('session_id' in created)) throw new Error('no session');
    const request = await IDKit.proveSession(created.session_id, app.config()).constraints(human);
    const { plaintext, answer } = await openRequest4(request.connectorURI);
    if (plaintext.proof_request === undefined) throw new Error('no proof_request');
    await answer(await proveRequest4(plaintext.proof_request, app.store, { person: 'bob' }));
    expect(await request.pollOnce()).toEqual({ type: 'failed', error: 'generic_error' });
  });

  it('may come with a uniqueness proof: IDKit then drops the action', async () => {
    const result = await app.answer(await build().preset(proofOfHuman({ signal: SIGNAL })), {
      isBound: true,
    });
    expect(result).toMatchObject({
      session_id: expect.stringMatching(SESSION_ID),
      responses: [{ nullifier: expect.stringMatching(/^0x[0-9a-f]{64}$/) }],
    });
    expect(result).not.toHaveProperty('action');
    // Without what IDKit dropped it is no session proof.
    expect((await app.verify(result)).body).toMatchObject({ code: 'validation_error' });
    const { body } = await app.verify(result, { action: ACTION, proof_type: 'uniqueness' });
    const [item] = result.responses;
    const nullifier = item && 'nullifier' in item ? item.nullifier : undefined;
    expect(body).toMatchObject({
      success: true,
      nullifier,
      session_id: 'session_id' in result && result.session_id,
    });
  });
});

describe('a bridge address with a path', () => {
  it('is called at its origin by IDKit, and with the path by the wallet', async () => {
    const bridge_url = `${app.interop.issuer}/bridge`;
    const config = { ...app.config(ACTION), bridge_url, action: ACTION, allow_legacy_proofs: false };
    const urls: string[] = [];
    const { fetch: send } = globalThis;
    onTestFinished(() => {
      globalThis.fetch = send;
    });
    globalThis.fetch = async (input, init) => {
      urls.push(input instanceof Request ? input.url : String(input));
      return await send(input, init);
    };
    const request = await IDKit.request(config).constraints(CredentialRequest('proof_of_human'));
    expect(urls).toEqual([`${app.interop.issuer}/request`]);
    expect((await openRequest4(request.connectorURI)).link.bridge).toBe(bridge_url);
  });
});

describe('the end of a request', () => {
  it('is connection_failed once the answer was taken elsewhere', async () => {
    const request = await build().preset(proofOfHuman());
    const { answer, link } = await openRequest4(request.connectorURI);
    await answer({ error_code: 'user_rejected' });
    expect((await fetch(`${app.interop.issuer}/response/${link.requestId}`)).status).toBe(200);
    expect(await request.pollOnce()).toEqual({ type: 'failed', error: 'connection_failed' });
  });

  it('is an exception for an answer in no known form', async () => {
    const request = await build().preset(proofOfHuman());
    const { answer } = await openRequest4(request.connectorURI);
    await answer({ success: true });
    await expect(request.pollUntilCompletion({ pollInterval: 0 })).rejects.toThrow();
  });
});
