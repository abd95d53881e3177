import { appJson, needsSecret, updateApp } from '../../../apps/index.ts';
import { localLogoutFaults } from '../../../config/apps/check-redirect-uris.ts';
import { APPLICATION_TYPES, AUTH_METHODS, VERIFICATION_STATES } from '../../../config/apps/fields.ts';
import { ServiceError } from '../../../errors/index.ts';
import type { Command, CommandInput } from '../../program/command.ts';
import { POLICY_OPTION, policyOption, readLogoFile, responseTypesOption, switchOf } from './app-options.ts';
import { appText } from './show-app.ts';

/** `apps update ID`: changes an app. */
export const appsUpdate: Command = {
  path: ['apps', 'update'],
  summary: 'change an app; running servers see it within storage.cacheSeconds',
  arguments: [{ name: 'id', description: 'app_id or rp_id' }],
  options: [
    { flags: '--name <name>', description: 'display name' },
    { flags: '--rp-id <id>', description: 'rp_ and 16 hex digits; recorded nullifiers stay' },
    {
      flags: '--verification <state>',
      description: 'state of the registration',
      choices: VERIFICATION_STATES,
    },
    {
      flags: '--add-redirect-uri <uri>',
      description: 'redirect URI of sign-in, compared byte for byte; may be given several times',
      isRepeatable: true,
    },
    {
      flags: '--remove-redirect-uri <uri>',
      description: 'redirect URI to remove; may be given several times',
      isRepeatable: true,
    },
    { flags: '--response-types <list>', description: 'separated by commas, e.g. "code,code id_token"' },
    {
      flags: '--auth-method <method>',
      description: 'authentication at the token endpoint; none for a public client',
      choices: AUTH_METHODS,
    },
    { flags: '--application-type <type>', description: 'kind of client', choices: APPLICATION_TYPES },
    { flags: '--require-pkce', description: 'refuse a code flow without PKCE' },
    { flags: '--no-require-pkce', description: 'leave PKCE to the app' },
    { flags: '--signal-is-nonce', description: 'proofs carry the nonce as their signal' },
    { flags: '--no-signal-is-nonce', description: 'proofs carry a signal of the server' },
    { flags: '--refresh-tokens', description: 'issue refresh tokens to people who agree to offline_access' },
    { flags: '--no-refresh-tokens', description: 'issue none; those that exist end' },
    { flags: '--require-par', description: 'refuse a request that was not pushed to /par' },
    { flags: '--no-require-par', description: 'accept requests that were not pushed' },
    { flags: '--dpop', description: 'refuse a token request without a DPoP proof' },
    { flags: '--no-dpop', description: 'accept token requests without a DPoP proof' },
    {
      flags: '--add-post-logout-redirect-uri <uri>',
      description: 'URI to which sign-out may redirect; may be given several times',
      isRepeatable: true,
    },
    {
      flags: '--remove-post-logout-redirect-uri <uri>',
      description: 'URI of sign-out to remove; may be given several times',
      isRepeatable: true,
    },
    { flags: '--backchannel-logout-uri <uri>', description: 'address that is told when a session ends' },
    { flags: '--no-backchannel-logout-uri', description: 'tell no address' },
    POLICY_OPTION,
    { flags: '--no-policy', description: 'restore the default policy' },
    { flags: '--logo <file>', description: 'PNG, JPEG or WebP of at most 64 KiB' },
    { flags: '--no-logo', description: 'remove the logo' },
  ],
  run: async (input, context) => {
    const logo = input.isOff('logo') ? null : await readLogoFile(input, context);
    const fields = fieldsOf(input);
    const change = {
      ...fields,
      addedRedirectUris: input.options('addRedirectUri') ?? [],
      removedRedirectUris: input.options('removeRedirectUri') ?? [],
      addedPostLogoutRedirectUris: input.options('addPostLogoutRedirectUri') ?? [],
      removedPostLogoutRedirectUris: input.options('removePostLogoutRedirectUri') ?? [],
      ...(logo === undefined ? {} : { logo }),
    };
    const isEmpty = Object.values(change).every((value) => Array.isArray(value) && value.length === 0);
    if (isEmpty && fields.policy === undefined) {
      throw new ServiceError('cli.usage', 'nothing to change: pass --name or another option');
    }
    const loaded = await context.loadConfig();
    const { allowLocalLogout } = loaded.config.signin;
    const faults = localLogoutFaults(fields.backchannel_logout_uri, allowLocalLogout);
    return await context.withStore(loaded, async ({ apps }) => {
      const app = await updateApp(apps, input.argument('id'), { ...change, faults }, context.now());
      const secrets = await apps.listSecrets(app.appId, context.now());
      await context.print(appJson(app, secrets), appText(app, secrets));
      if (needsSecret(app) && secrets.length === 0) {
        context.note(`the app has no client secret yet: run proofgate apps rotate-secret ${app.appId}`);
      }
      return 0;
    });
  },
};

/** Returns the fields that were given; the registry checks their values. */
function fieldsOf(input: CommandInput): Record<string, unknown> {
  const fields = {
    rp_id: input.option('rpId'),
    name: input.option('name'),
    verification: input.option('verification'),
    response_types: responseTypesOption(input),
    token_endpoint_auth_method: input.option('authMethod'),
    application_type: input.option('applicationType'),
    require_pkce: switchOf(input, 'requirePkce'),
    signal_is_nonce: switchOf(input, 'signalIsNonce'),
    refresh_tokens: switchOf(input, 'refreshTokens'),
    require_pushed_authorization_requests: switchOf(input, 'requirePar'),
    dpop_bound_access_tokens: switchOf(input, 'dpop'),
    backchannel_logout_uri: input.isOff('backchannelLogoutUri') ? null : input.option('backchannelLogoutUri'),
    policy: input.isOff('policy') ? null : policyOption(input),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
