import { registerApp, registeredJson, secretKeyOf } from '../../../apps/index.ts';
import { localLogoutFaults } from '../../../config/apps/check-redirect-uris.ts';
import { APPLICATION_TYPES, AUTH_METHODS } from '../../../config/apps/fields.ts';
import { ServiceError } from '../../../errors/index.ts';
import type { Command, CommandInput } from '../../program/command.ts';
import {
  POLICY_OPTION,
  policyOption,
  readLogoFile,
  readSecretFile,
  responseTypesOption,
  switchOf,
} from './app-options.ts';
import { registeredText } from './show-app.ts';

/** `apps add`: registers an app; with redirect URIs it is also a client of sign-in. */
export const appsAdd: Command = {
  path: ['apps', 'add'],
  summary: 'add an app, active and registered for verification; with redirect URIs also for sign-in',
  details: `An app with redirect URIs that is not public gets a client secret, which is shown once and never again.
An app made outside the production profile is marked; production does not start while it exists.
To migrate an app from another service, pass --app-id and, if it has one, --client-secret-file.`,
  options: [
    { flags: '--app-id <id>', description: 'app_ or app_staging_ and 32 hex digits; generated if absent' },
    {
      flags: '--rp-id <id>',
      description: 'rp_ and 16 hex digits, if it is registered under another rp_id than that of its app_id',
    },
    { flags: '--staging', description: 'generate a staging id; its sign-ins use the staging trees' },
    { flags: '--name <name>', description: 'display name; the app_id if absent' },
    {
      flags: '--redirect-uri <uri>',
      description: 'redirect URI of sign-in, compared byte for byte; may be given several times',
      isRepeatable: true,
    },
    {
      flags: '--response-types <list>',
      description: 'separated by commas, e.g. "code,code id_token"; if absent, code in production, else all',
    },
    { flags: '--public', description: 'an app that cannot keep a secret: --auth-method none' },
    { flags: '--native', description: 'an installed app: --application-type native' },
    {
      flags: '--auth-method <method>',
      description: 'authentication at the token endpoint',
      choices: AUTH_METHODS,
    },
    { flags: '--application-type <type>', description: 'kind of client', choices: APPLICATION_TYPES },
    { flags: '--require-pkce', description: 'refuse a code flow without PKCE; the default in production' },
    { flags: '--no-require-pkce', description: 'leave PKCE to the app; the default outside production' },
    { flags: '--signal-is-nonce', description: 'proofs carry the nonce as their signal' },
    { flags: '--refresh-tokens', description: 'issue refresh tokens to people who agree to offline_access' },
    { flags: '--require-par', description: 'refuse a request that was not pushed to /par' },
    { flags: '--dpop', description: 'refuse a token request without a DPoP proof' },
    {
      flags: '--post-logout-redirect-uri <uri>',
      description: 'URI to which sign-out may redirect; may be given several times',
      isRepeatable: true,
    },
    { flags: '--backchannel-logout-uri <uri>', description: 'address that is told when a session ends' },
    POLICY_OPTION,
    { flags: '--logo <file>', description: 'PNG, JPEG or WebP of at most 64 KiB' },
    {
      flags: '--client-secret-file <file>',
      description: 'existing secret of the app, sk_ and 48 hex digits; - is standard input',
    },
  ],
  run: async (input, context) => {
    const fields = fieldsOf(input);
    const logo = await readLogoFile(input, context);
    const clientSecret = await readSecretFile(input, context);
    const { config, ...loaded } = await context.loadConfig();
    const registration = {
      fields,
      isStaging: input.has('staging'),
      isDevelopment: config.profile !== 'production',
      faults: localLogoutFaults(fields.backchannel_logout_uri, config.signin.allowLocalLogout),
      ...(logo === undefined ? {} : { logo }),
      ...(clientSecret === undefined ? {} : { clientSecret }),
    };
    return await context.withStore({ config, ...loaded }, async ({ apps }) => {
      const registered = await registerApp(apps, registration, () => secretKeyOf(config), context.now());
      await context.print(registeredJson(registered), registeredText(registered));
      return 0;
    });
  },
};

function fieldsOf(input: CommandInput): Record<string, unknown> {
  const appId = input.option('appId');
  if (input.has('staging') && appId !== undefined) {
    throw new ServiceError('cli.usage', '--staging generates an id: pass either --staging or --app-id');
  }
  const method = either(input, ['public', 'none'], 'authMethod');
  const type = either(input, ['native', 'native'], 'applicationType');
  const fields = {
    client_id: appId,
    rp_id: input.option('rpId'),
    name: input.option('name'),
    redirect_uris: input.options('redirectUri'),
    response_types: responseTypesOption(input),
    token_endpoint_auth_method: method,
    application_type: type,
    require_pkce: switchOf(input, 'requirePkce'),
    signal_is_nonce: input.has('signalIsNonce'),
    refresh_tokens: input.has('refreshTokens'),
    require_pushed_authorization_requests: input.has('requirePar'),
    dpop_bound_access_tokens: input.has('dpop'),
    post_logout_redirect_uris: input.options('postLogoutRedirectUri'),
    backchannel_logout_uri: input.option('backchannelLogoutUri'),
    policy: policyOption(input),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Reads a switch that is short for one value of an option; both may be given when they agree. */
function either(
  input: CommandInput,
  [name, meaning]: readonly [name: string, meaning: string],
  option: string,
): string | undefined {
  const value = input.option(option);
  if (!input.has(name)) return value;
  if (value !== undefined && value !== meaning) {
    throw new ServiceError('cli.usage', `--${name} means ${meaning}, but ${value} was given too`);
  }
  return meaning;
}
