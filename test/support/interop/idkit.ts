/** An app whose front end has IDKit 4, in this process, and whose back end signs the requests. */
import type { IDKitRequest, IDKitRequestConfig, IDKitResult } from '@worldcoin/idkit-core';
import { signRequest } from '@worldcoin/idkit-server';
import { rpIdOf } from '../../../src/semaphore/hashes.ts';
import type { Store } from '../../../src/storage/store.ts';
import { TREES } from '../../../src/storage/values.ts';
import { importSnippet } from '../../docs/guides/support/snippets.ts';
import { post, type VerifyReply } from '../../verification/support/verify-client.ts';
import { signerAddress } from '../proof-request4.ts';
import { proveRequest, walletRoots } from '../test-wallet.ts';
import { type Answer4Options, addWallet4State, openRequest4, proveRequest4 } from '../test-wallet4.ts';
import { type Interop, startInterop } from './relying-party.ts';

const SIGNING_KEY = 'ab'.repeat(32);
/** Address of the key that signs the requests of the app. */
export const SIGNER: string = signerAddress(Buffer.from(SIGNING_KEY, 'hex'));

/** A request of IDKit, as far as an answer concerns it. */
export type OpenIdkitRequest = Pick<IDKitRequest, 'connectorURI' | 'pollOnce'>;

/** Members that all requests of an app have. */
export type IdkitConfig = Pick<IDKitRequestConfig, 'app_id' | 'rp_context' | 'bridge_url'> & {
  readonly environment: 'staging';
};

/** An app with IDKit, at a service that verifies both versions of World ID. */
export interface IdkitApp {
  readonly interop: Interop;
  readonly store: Store;
  readonly appId: `app_${string}`;
  readonly rpId: string;
  /** Signs a request, by default one of a session, which has no action. */
  config(action?: string): IdkitConfig;
  /** Posts a result to the endpoint, with the members that the back end adds. */
  verify(result: IDKitResult | undefined, members?: object): Promise<VerifyReply>;
  /** Answers as a person, in 4.0 if that is asked for, otherwise in 3.0. Returns the result that IDKit makes of it. */
  answer(request: OpenIdkitRequest, options?: Answer4Options): Promise<IDKitResult>;
  end(): Promise<void>;
}

/** Has IDKit load its WebAssembly in this process as the guide prove.md tells. Returns how to undo it. */
export async function loadIdkitInNode(): Promise<() => void> {
  const { fetch } = globalThis;
  const { loadIdkitInNode: load } = await importSnippet<{ loadIdkitInNode(): void }>(
    'prove',
    'idkit-in-node.ts',
  );
  load();
  return () => {
    globalThis.fetch = fetch;
  };
}

/** Starts the service and the app, with the state of both wallets of tests. */
export async function startIdkitApp(settings: Readonly<Record<string, string>> = {}): Promise<IdkitApp> {
  const unload = await loadIdkitInNode();
  const interop = await startInterop({
    settings: {
      'bridge.rootAlias': 'true',
      'verify.worldid4.enabled': 'true',
      'verify.worldid4.issuers.staging': '1:proof_of_human,9303:passport,9310:mnc,11:selfie',
      ...settings,
    },
  });
  const { store } = interop.service;
  await addWallet4State(store);
  const [orb] = walletRoots('staging', Date.now());
  const trees = TREES.filter((tree) => tree !== 'account');
  if (orb) await store.roots.put(trees.map((tree) => ({ ...orb, tree })));
  const appId = interop.web.clientId as `app_${string}`;
  const rpId = rpIdOf(appId);
  return {
    interop,
    store,
    appId,
    rpId,
    config(action) {
      const options = { signingKeyHex: SIGNING_KEY, ...(action === undefined ? {} : { action }) };
      const { nonce, sig, createdAt, expiresAt } = signRequest(options);
      return {
        app_id: appId,
        bridge_url: interop.issuer,
        environment: 'staging',
        rp_context: { rp_id: rpId, nonce, signature: sig, created_at: createdAt, expires_at: expiresAt },
      };
    },
    verify: async (result, members = {}) => await post(interop.issuer, rpId, { ...result, ...members }),
    async answer(request, options = {}) {
      const { plaintext, answer } = await openRequest4(request.connectorURI);
      const { proof_request: asked, verification_level } = plaintext;
      const made = asked
        ? await proveRequest4(asked, store, options)
        : { ...(await proveRequest(plaintext, options)), verification_level };
      if ((await answer(made)) !== 201) throw new Error('the bridge did not take the answer');
      const { result, type } = await request.pollOnce();
      if (result === undefined) throw new Error(`IDKit has no result: ${type}`);
      return result;
    },
    async end() {
      unload();
      await interop.end();
    },
  };
}
