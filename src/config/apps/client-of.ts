import { type AppFields, type Binding, type EmailForm, RESPONSE_TYPES } from './fields.ts';

/** Settings of an app as a client of sign-in; the store keeps the same members. */
export interface ClientSettings {
  readonly redirectUris: readonly string[];
  readonly responseTypes: readonly (typeof RESPONSE_TYPES)[number][];
  /**
   * True if the operator listed all response types explicitly; absent if they are all listed by default. Absent in any
   * other case, so that nodes of earlier releases, which drop the member at their next change, find the members that
   * they know.
   */
  readonly namesAllResponseTypes?: true;
  readonly tokenEndpointAuthMethod: NonNullable<AppFields['token_endpoint_auth_method']>;
  readonly applicationType: NonNullable<AppFields['application_type']>;
  /** Whether redirect URIs may have a private scheme without a dot. */
  readonly allowShortScheme: boolean;
  /** Origins of pages besides those of the redirect URIs. */
  readonly allowedOrigins: readonly string[];
  readonly requirePkce: boolean;
  readonly signalIsNonce: boolean;
  readonly refreshTokens: boolean;
  readonly requirePushedAuthorizationRequests: boolean;
  readonly dpopBoundAccessTokens: boolean;
  /** Ids of other clients whose tokens the client may introspect. */
  readonly introspects: readonly string[];
  /** Form of the placeholder address of a person. */
  readonly emailForm: EmailForm;
  /** How people of World ID 4.0 are tied to their sessions. */
  readonly binding: Binding;
  /** Whether a person may add the other version of World ID. */
  readonly linkWorldIds: boolean;
  readonly postLogoutRedirectUris: readonly string[];
  /** Null without back-channel logout. */
  readonly backchannelLogoutUri: string | null;
}

/**
 * Default settings of an app for sign-in: without redirect URIs it only verifies proofs. Apply to stored apps, apps of
 * the configuration, and new apps outside the production profile.
 */
export const DEFAULT_CLIENT: ClientSettings = {
  redirectUris: [],
  responseTypes: RESPONSE_TYPES,
  tokenEndpointAuthMethod: 'client_secret_basic',
  applicationType: 'web',
  allowShortScheme: false,
  allowedOrigins: [],
  requirePkce: false,
  signalIsNonce: false,
  refreshTokens: false,
  requirePushedAuthorizationRequests: false,
  dpopBoundAccessTokens: false,
  introspects: [],
  emailForm: 'long',
  binding: 'bound',
  linkWorldIds: false,
  postLogoutRedirectUris: [],
  backchannelLogoutUri: null,
};

/** Default settings of a new app of the production profile (RFC 9700 sections 2.1.1 and 2.1.2). */
export const PRODUCTION_CLIENT: ClientSettings = {
  ...DEFAULT_CLIENT,
  responseTypes: ['code'],
  requirePkce: true,
};

/** Whether the response types of a client were listed explicitly, instead of the default of all. */
export function namesResponseTypes({ responseTypes, namesAllResponseTypes }: ClientSettings): boolean {
  return namesAllResponseTypes === true || responseTypes.length < RESPONSE_TYPES.length;
}

/** Whether a client authenticates, and thus needs a secret: it signs people in or introspects, and is not public. */
export function needsSecret(
  client: Pick<ClientSettings, 'redirectUris' | 'introspects' | 'tokenEndpointAuthMethod'>,
): boolean {
  const { redirectUris, introspects, tokenEndpointAuthMethod } = client;
  return redirectUris.length + introspects.length > 0 && tokenEndpointAuthMethod !== 'none';
}

/** Returns `base` with the given fields in place of its own. */
export function clientOf(fields: AppFields, base: ClientSettings = DEFAULT_CLIENT): ClientSettings {
  const namesAll =
    fields.response_types === undefined
      ? base.namesAllResponseTypes
      : fields.response_types.length === RESPONSE_TYPES.length;
  return {
    ...(namesAll === true ? { namesAllResponseTypes: true } : {}),
    redirectUris: fields.redirect_uris ?? base.redirectUris,
    responseTypes: fields.response_types ?? base.responseTypes,
    tokenEndpointAuthMethod: fields.token_endpoint_auth_method ?? base.tokenEndpointAuthMethod,
    applicationType: fields.application_type ?? base.applicationType,
    allowShortScheme: fields.allow_short_scheme ?? base.allowShortScheme,
    allowedOrigins: fields.allowed_origins ?? base.allowedOrigins,
    requirePkce: fields.require_pkce ?? base.requirePkce,
    signalIsNonce: fields.signal_is_nonce ?? base.signalIsNonce,
    refreshTokens: fields.refresh_tokens ?? base.refreshTokens,
    requirePushedAuthorizationRequests:
      fields.require_pushed_authorization_requests ?? base.requirePushedAuthorizationRequests,
    dpopBoundAccessTokens: fields.dpop_bound_access_tokens ?? base.dpopBoundAccessTokens,
    introspects: fields.introspects ?? base.introspects,
    emailForm: fields.email_form ?? base.emailForm,
    binding: fields.binding ?? base.binding,
    linkWorldIds: fields.link_world_ids ?? base.linkWorldIds,
    postLogoutRedirectUris: fields.post_logout_redirect_uris ?? base.postLogoutRedirectUris,
    backchannelLogoutUri:
      fields.backchannel_logout_uri === undefined ? base.backchannelLogoutUri : fields.backchannel_logout_uri,
  };
}

/** Fields of an app as a client of sign-in. */
export type ClientFields = Omit<
  AppFields,
  'client_id' | 'rp_id' | 'name' | 'status' | 'verification' | 'policy'
>;

/** Returns the settings of a client as fields; their response types count as named. */
export function fieldsOfClient(client: ClientSettings): Required<ClientFields>;
/** Returns the settings of a client that are given as fields; their response types count as named. */
export function fieldsOfClient(client: Partial<ClientSettings>): ClientFields;
export function fieldsOfClient(client: Partial<ClientSettings>): ClientFields {
  const fields = {
    redirect_uris: client.redirectUris,
    response_types: client.responseTypes,
    token_endpoint_auth_method: client.tokenEndpointAuthMethod,
    application_type: client.applicationType,
    allow_short_scheme: client.allowShortScheme,
    allowed_origins: client.allowedOrigins,
    require_pkce: client.requirePkce,
    signal_is_nonce: client.signalIsNonce,
    refresh_tokens: client.refreshTokens,
    require_pushed_authorization_requests: client.requirePushedAuthorizationRequests,
    dpop_bound_access_tokens: client.dpopBoundAccessTokens,
    introspects: client.introspects,
    email_form: client.emailForm,
    binding: client.binding,
    link_world_ids: client.linkWorldIds,
    post_logout_redirect_uris: client.postLogoutRedirectUris,
    backchannel_logout_uri: client.backchannelLogoutUri,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
