import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CircuitFiles, requireCircuitFiles } from '../../src/development/circuit-files.ts';
import { proveMembership } from '../../src/development/prove.ts';
import { externalNullifier } from '../../src/semaphore/hashes.ts';
import { toHex } from '../../src/semaphore/hex.ts';
import {
  commitmentOf,
  type Identity,
  identityFromSecret,
  nullifierHashOf,
} from '../../src/semaphore/identity.ts';
import { pathBit } from '../../src/semaphore/merkle-tree.ts';
import { wordOf } from '../../src/semaphore/words.ts';
import {
  CIRCUIT_SKIP,
  developmentCircuit,
  linkDevelopmentCircuit,
} from '../support/crypto/development-circuit.ts';
import { referencePoseidon } from '../support/crypto/reference-tree.ts';
import { callbackOf, type Interop, startInterop } from '../support/interop/relying-party.ts';
import { beginSignIn } from '../support/signin/driver.ts';
import { openRequest, type WalletPlaintext } from '../support/test-wallet.ts';

interface Inclusion {
  readonly root: string;
  readonly index: number;
  readonly siblings: readonly string[];
}

const word = (hex: string): Uint8Array => wordOf(BigInt(hex));

describe.skipIf(developmentCircuit === undefined)(
  `openid-client 6 with a proof of the development circuit${CIRCUIT_SKIP}`,
  () => {
    let dataDir: string;
    let interop: Interop;
    let files: CircuitFiles;
    const alice = identityFromSecret('alice');
    beforeAll(async () => {
      dataDir = await mkdtemp(join(tmpdir(), 'proofgate-interop-'));
      await linkDevelopmentCircuit(dataDir);
      files = await requireCircuitFiles(dataDir);
      interop = await startInterop({ dataDir });
    });
    afterAll(async () => {
      await interop?.end();
      if (dataDir !== undefined) await rm(dataDir, { recursive: true, force: true });
    });

    /** Enrols an identity as the wallet page does. Returns its inclusion proof. */
    async function enrol(identity: Identity, tree: 'orb' | 'device'): Promise<Inclusion> {
      const commitment = toHex(await commitmentOf(identity, await referencePoseidon()));
      const api = `${interop.issuer}/wallet/api`;
      const enrolled = await fetch(`${api}/enroll`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ tree, commitment }),
      });
      expect(enrolled.status).toBe(200);
      const found = await fetch(`${api}/inclusion-proof?${new URLSearchParams({ tree, commitment })}`);
      expect(found.status).toBe(200);
      return (await found.json()) as Inclusion;
    }

    /** Makes the proof for a request with snarkjs. */
    async function prove(request: WalletPlaintext, { root, index, siblings }: Inclusion) {
      const external = externalNullifier(request.app_id, request.action);
      const { proof } = await proveMembership(
        {
          identity: alice,
          inclusion: {
            root: word(root),
            index,
            siblings: siblings.map(word),
            pathIndices: siblings.map((_, level) => pathBit(index, level)),
          },
          signalHash: word(request.signal),
          externalNullifier: external,
        },
        files,
      );
      const nullifier = await nullifierHashOf(alice, external, await referencePoseidon());
      return {
        proof: toHex(proof),
        merkle_root: root,
        nullifier_hash: toHex(nullifier),
        verification_level: 'device',
      };
    }

    it('signs in with code and PKCE, and the person has the same sub as with trapdoor-4', async () => {
      const { clientId, clientSecret, redirectUri } = interop.web;
      const config = await client.discovery(new URL(interop.issuer), clientId, clientSecret, undefined, {
        execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
      });
      const pkceCodeVerifier = client.randomPKCECodeVerifier();
      const expectedNonce = client.randomNonce();
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid',
        nonce: expectedNonce,
        code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
      });
      const inclusion = await enrol(alice, 'device');
      const signIn = await beginSignIn(interop.issuer, Object.fromEntries(url.searchParams));
      const request = await openRequest(signIn.connectUrl);
      expect(await request.answer(await prove(request.plaintext, inclusion))).toBe(201);
      expect(await signIn.settle()).toMatchObject({ status: 'completed' });
      const tokens = await client.authorizationCodeGrant(config, callbackOf(await signIn.finish()), {
        pkceCodeVerifier,
        expectedNonce,
      });
      const sub = await interop.subFor();
      expect(tokens.claims()).toMatchObject({ sub, acr: 'device', nonce: expectedNonce });
      expect(await client.fetchUserInfo(config, tokens.access_token, sub)).toMatchObject({
        sub,
        [`${interop.issuer}/v1`]: { verification_level: 'device' },
      });
    });

    it('does not accept the proof of one sign-in for another', async () => {
      const { clientId, redirectUri } = interop.web;
      const parameters = {
        response_type: 'code',
        scope: 'openid',
        client_id: clientId,
        redirect_uri: redirectUri,
      };
      const inclusion = await enrol(alice, 'device');
      const [first, second] = [
        await beginSignIn(interop.issuer, parameters),
        await beginSignIn(interop.issuer, parameters),
      ];
      const request = await openRequest(first.connectUrl);
      const answer = await prove(request.plaintext, inclusion);
      expect(await (await openRequest(second.connectUrl)).answer(answer)).toBe(201);
      expect(await second.settle()).toMatchObject({ status: 'failed', code: 'invalid_proof' });
      expect(await request.answer(answer)).toBe(201);
      expect(await first.settle()).toMatchObject({ status: 'completed' });
    });
  },
);
