import type { AddressKeysOf, BridgeIds } from '../../apps/address-keys.ts';
import { type Clients, createClients, type RehashObserver } from '../../apps/clients.ts';
import {
  describeSecrets,
  type SecretCensus,
  secretCensus,
  secretKeysOf,
} from '../../apps/secrets/secrets.ts';
import type { SigninIssuers } from '../../apps/signin-policy.ts';
import { isStaging } from '../../config/apps/app-forms.ts';
import type { Config } from '../../config/settings/types.ts';
import type { Engine } from '../../engine/engine.ts';
import type { KeyRegistry } from '../../membership/keys/key-registry.ts';
import type { RootRegistry } from '../../membership/roots/root-registry.ts';
import type { Log } from '../../observability/log/log.ts';
import type { Metrics } from '../../observability/metrics/metrics.ts';
import type { UsageTally } from '../../observability/usage.ts';
import { type AccessTokens, createAccessTokens } from '../../oidc/access-tokens.ts';
import { createResponder } from '../../oidc/authorize/responder.ts';
import { createDpop, createDpopNonces, type Dpop } from '../../oidc/dpop/check-proof.ts';
import { createIdTokenHints, type ReadIdTokenHint } from '../../oidc/id-token-hints.ts';
import { createSigningKeys, type SigningKeys } from '../../oidc/keys/signing-keys.ts';
import {
  createLogoutDeliverer,
  createLogoutTokens,
  type LogoutDeliverer,
} from '../../oidc/logout/deliverer.ts';
import { createSignOut, type SignOut } from '../../oidc/logout/sign-out.ts';
import { createWalletSignIn, type WalletSignIn } from '../../oidc/mobile-auth.ts';
import { createPushedRequestFinder, type PushedRequestFinder } from '../../oidc/pushed-requests.ts';
import { type AnswerFromSession, createSessionAnswers } from '../../oidc/session-answers.ts';
import { createSessions } from '../../oidc/sessions.ts';
import { createTokenIssuer, type TokenIssuer } from '../../oidc/token-issuer.ts';
import { createTransactions } from '../../oidc/transaction/create-transactions.ts';
import type { Transactions } from '../../oidc/transaction/types.ts';
import type { AppStore } from '../../storage/apps/apps.ts';
import type { Store } from '../../storage/store.ts';
import type { Part } from '../lifecycle.ts';
import { createSigninWorldId4 } from './signin-worldid4.ts';

/** Dependencies of sign-in. */
export interface SigninParts {
  readonly config: Config;
  readonly store: Store;
  /** Registry of apps, with those of the configuration. */
  readonly apps: AppStore;
  readonly engine: Engine;
  readonly keys: KeyRegistry;
  readonly roots: RootRegistry;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly usage: UsageTally;
  readonly addressKeys: AddressKeysOf;
  readonly bridgeIds: BridgeIds;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Sign-in without HTTP. */
export interface Signin {
  readonly clients: Clients;
  /** Issuers of World ID 4.0; undefined while sign-in takes 3.0 alone. */
  readonly issuers: SigninIssuers | undefined;
  readonly signingKeys: SigningKeys;
  readonly tokens: TokenIssuer;
  readonly accessTokens: AccessTokens;
  readonly readHint: ReadIdTokenHint;
  readonly answerFromSession: AnswerFromSession;
  readonly dpop: Dpop;
  readonly transactions: Transactions;
  readonly findRequest: PushedRequestFinder;
  /** Undefined while sessions are off. */
  readonly signOut: SignOut | undefined;
  /** Undefined while sessions are off. */
  readonly logoutNotices: LogoutDeliverer | undefined;
  readonly signInByWallet: WalletSignIn;
}

/**
 * Builds the parts of sign-in. The signing keys are ready when it resolves; their rotation timer is not
 * started.
 *
 * @throws ServiceError `signing_key.*`, `store.unreachable`
 */
export async function createSignin(parts: SigninParts): Promise<Signin> {
  const { config, store, apps, log, now } = parts;
  const { baseUrl } = config;
  const clients = createAppClients(parts);
  const signingKeys = await createSigningKeys({
    store: store.signingKeys,
    changes: store.changes,
    config,
    log,
    now,
  });
  logSecrets(await secretCensus(apps, secretKeysOf(config), now()), log);
  const tokens = createTokenIssuer({ keys: signingKeys, config, clients, now });
  const responder = createResponder({ tokens, config, now });
  const sessions = createSessions({ config, store: store.sessions, now });
  const readHint = createIdTokenHints({ keys: signingKeys, baseUrl });
  await store.sessions.endOfClients(await disabledClients(apps));
  const shared = {
    ...parts,
    clients,
    responder,
    sessions,
    readHint,
    worldId4: await createSigninWorldId4(parts),
    onSignedIn: (clientId: string): void =>
      parts.usage.count(clientId, isStaging(clientId) ? 'staging' : 'production', 'signed_in'),
    onFault: (fault: unknown): void =>
      log.error('a proof of a sign-in failed with an internal error', { err: fault }),
  };
  return {
    clients,
    issuers: shared.worldId4?.issuers,
    signingKeys,
    tokens,
    accessTokens: createAccessTokens({ keys: signingKeys, clients, grants: store.grants, baseUrl, now }),
    readHint,
    answerFromSession: createSessionAnswers({
      ...shared,
      store: store.sessions,
      pushedRequests: store.pushedRequests,
      grants: store.grants,
    }),
    dpop: createDpop({ nonces: createDpopNonces(config, now), grants: store.grants, now }),
    transactions: createTransactions(shared),
    findRequest: createPushedRequestFinder({ ...store, now }),
    signOut: sessions.isOn ? createSignOut({ ...shared, store: store.sessions }) : undefined,
    logoutNotices: sessions.isOn
      ? createLogoutDeliverer({
          ...shared,
          notices: store.logoutNotices,
          reach: config.signin.allowLocalLogout ? 'any' : 'remote',
          sign: createLogoutTokens({ keys: signingKeys, baseUrl, now }),
        })
      : undefined,
    signInByWallet: createWalletSignIn({
      ...shared,
      grants: store.grants,
      maxRootAgeSeconds: config.signin.maxRootAgeSeconds,
    }),
  };
}

/** Returns the delivery of logout notices as a part; undefined while sign-in or its sessions are off. */
export function logoutNoticesPart(signin: Signin | undefined): Part | undefined {
  const deliverer = signin?.logoutNotices;
  return deliverer && { name: 'logout notices', start: deliverer.start, stop: deliverer.stop };
}

/**
 * Returns the ids of disabled clients. An app of the configuration can be disabled only while the service is stopped.
 */
async function disabledClients(apps: AppStore): Promise<string[]> {
  return (await apps.list()).flatMap(({ appId, status }) => (status === 'disabled' ? [appId] : []));
}

/** Creates the view of the registry that checks secrets of apps. */
export function createAppClients({
  config,
  apps,
  store,
  log,
  now,
}: Pick<SigninParts, 'config' | 'apps' | 'store' | 'log' | 'now'>): Clients {
  const secretKeys = secretKeysOf(config);
  return createClients({
    apps,
    secretKey: secretKeys.current,
    formerSecretKeys: secretKeys.former,
    onRehash: rehashLog(log),
    cacheMs: config.storage.cacheSeconds * 1000,
    changes: store.changes,
    now,
  });
}

/** Logs the number of client secrets not known to be hashed under the current key; logs nothing if there are none. */
function logSecrets(census: SecretCensus, log: Log): void {
  const fields = { event: 'client.secret_keys' };
  const text = `client secrets: ${describeSecrets(census)}`;
  if (census.lost > 0) log.warn(text, fields);
  else if (census.former + census.unknown > 0) log.info(text, fields);
}

function rehashLog(log: Log): RehashObserver {
  return {
    done: (clientId) =>
      log.info('a client secret was hashed under the key in force', {
        event: 'client.secret_rehashed',
        clientId,
      }),
    failed: (clientId, err) =>
      log.warn('a client secret could not be hashed under the key in force; its next use tries again', {
        event: 'client.secret_rehash_failed',
        clientId,
        err,
      }),
  };
}
