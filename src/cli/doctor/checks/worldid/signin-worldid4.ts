import { findMasterKey } from '../../../../apps/secrets/master-key.ts';
import { signinEnvironment } from '../../../../apps/signin-policy.ts';
import type { Config } from '../../../../config/settings/types.ts';
import { parseIssuerList } from '../../../../config/values/issuer-list.ts';
import { isServiceError } from '../../../../errors/service-error.ts';
import { signerAddress, signinSigningKey } from '../../../../oidc/worldid4/request-signer.ts';
import type { Store } from '../../../../storage/store.ts';
import type { Environment } from '../../../../storage/values.ts';
import { messageOf } from '../../../../text.ts';
import { type CheckResult, fail, ok, warn } from '../../check.ts';
import { oneLine } from './roots-state.ts';

/** What the store has for sign-in with World ID 4.0. */
export interface SigninWorldId4State {
  /** rp_id on which the subs in use depend; undefined before the first start. */
  readonly storedRpId: string | undefined;
  /** Environments in which apps have clients. */
  readonly environments: readonly {
    readonly environment: Environment;
    readonly hasOprfKey: boolean;
    /** Whether the key of any listed issuer is there. */
    readonly hasIssuerKey: boolean;
  }[];
}

const NAME = 'sign-in 4.0';
const SIGNER = 'sign-in signer';

/** Reads the state; undefined while sign-in takes World ID 3.0 alone. @throws ServiceError `store.unreachable` */
export async function signinWorldId4StateOf(
  config: Config,
  store: Store,
): Promise<SigninWorldId4State | undefined> {
  const { rpId } = config.signin.worldid4;
  if (rpId === undefined) return undefined;
  const listed = config.apps.list.map(({ clientId: appId, client }) => ({ appId, client }));
  const clients = [...listed, ...(await store.apps.list())].filter(
    ({ client }) => client.redirectUris.length > 0,
  );
  const names = [...new Set(clients.map(({ appId }) => signinEnvironment(appId)))].sort();
  const isKnown = async (environment: Environment): Promise<boolean> => {
    const ids = [...parseIssuerList(config.verify.worldid4.issuers[environment]).keys()];
    const keys = await Promise.all(ids.map((id) => store.worldId4Keys.findIssuer(environment, id)));
    return keys.some((key) => key !== undefined);
  };
  return {
    storedRpId: await store.relyingParty.find(),
    environments: await Promise.all(
      names.map(async (environment) => ({
        environment,
        hasOprfKey: (await store.worldId4Keys.findOprfKey(environment, rpId)) !== undefined,
        hasIssuerKey: await isKnown(environment),
      })),
    ),
  };
}

/**
 * Checks the relying party of sign-in, the keys that its proofs need, and shows the address of its signer, to be compared
 * with the registry (spec/sign-in.md#relying-party).
 *
 * @param state - Undefined if the store cannot be read, which another check reports.
 */
export async function checkSigninWorldId4(
  config: Config,
  state: SigninWorldId4State | undefined,
): Promise<CheckResult[]> {
  const { rpId } = config.signin.worldid4;
  if (rpId === undefined) {
    return [ok(NAME, 'signin.worldid4.rpId is not set: sign-in takes World ID 3.0 alone')];
  }
  return [
    ...(state === undefined ? [] : [oneLine(NAME, checkState(config, rpId, state))]),
    await checkSigner(config, rpId),
  ];
}

function checkState(
  { profile, verify }: Pick<Config, 'profile' | 'verify'>,
  rpId: string,
  { storedRpId, environments }: SigninWorldId4State,
): CheckResult[] {
  const isSame = storedRpId === undefined || storedRpId === rpId;
  // Elsewhere development makes the keys when it proves.
  const report = profile === 'production' ? warn : (name: string, detail: string) => ok(name, detail);
  const lacking = environments.flatMap(({ environment, hasOprfKey, hasIssuerKey }) => [
    ...(hasOprfKey ? [] : [report('', `no OPRF key of ${rpId} in ${environment}`, KEYS_CURE)]),
    ...(hasIssuerKey || verify.worldid4.issuers[environment].length === 0
      ? []
      : [report('', `no key of a listed issuer in ${environment}`, KEYS_CURE)]),
    ...(verify.worldid4.issuers[environment].length > 0
      ? []
      : [warn('', `verify.worldid4.issuers.${environment} is empty: no proof counts`, 'List the issuers.')]),
  ]);
  return [
    isSame
      ? ok('', `relying party ${rpId}${storedRpId === undefined ? ', which the first start stores' : ''}`)
      : fail(
          '',
          `signin.worldid4.rpId is ${rpId}, but the subs in use are of ${storedRpId}: a start is refused`,
          'Set the former rp_id again, or confirm the new one with `proofgate signin confirm-rp`.',
        ),
    ...lacking,
  ];
}

const KEYS_CURE =
  'Add worldid4-production to roots.sources, or the keys with `proofgate oprf-keys add` and `proofgate issuers add`.';

async function checkSigner(config: Config, rpId: string): Promise<CheckResult> {
  try {
    const { signingKey } = config.signin.worldid4;
    if (signingKey === undefined && findMasterKey(config) === undefined) {
      return ok(SIGNER, 'not known before the first start');
    }
    const address = await signerAddress(await signinSigningKey(config));
    const origin = signingKey === undefined ? ', derived from the master key' : '';
    return ok(SIGNER, `${address}${origin}: must be the signer of ${rpId} in the registry`);
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return fail(SIGNER, messageOf(error), error.spec.cure ?? '');
  }
}
