// Script of an app in the browser, which a test bundles with oidc-client-ts. Sets the functions of the test
// on `app`.
import { UserManager } from 'oidc-client-ts';

// In a hidden frame the page hands its address, with the answer, to the page of the app.
if (globalThis.parent !== globalThis) {
  const settings = { authority: 'unused', client_id: 'unused', redirect_uri: location.href };
  new UserManager(settings).signinSilentCallback();
}

globalThis.makeApp = (authority, clientId, options = {}) => {
  const manager = new UserManager({
    authority,
    client_id: clientId,
    redirect_uri: `${location.origin}/cb`,
    loadUserInfo: true,
    ...options,
  });
  globalThis.app = {
    signIn: (more) => manager.signinRedirect(more),
    /** Completes a sign-in on the callback page. Returns the person as the app knows it, or the error. */
    async finish() {
      try {
        const { profile, access_token, id_token, state, scope } = await manager.signinCallback();
        return { profile, accessToken: access_token, idToken: id_token, state, scope };
      } catch ({ name, message, error, error_description }) {
        return { failure: { name, message, error, error_description } };
      }
    },
    revoke: (...types) => manager.revokeTokens(types.length > 0 ? types : ['access_token']),
    /** Renews the tokens, with the refresh token if there is one, otherwise in a hidden frame. */
    async renew() {
      try {
        const { profile, access_token, refresh_token, scope } = await manager.signinSilent();
        return { profile, accessToken: access_token, refreshToken: refresh_token, scope };
      } catch ({ name, message, error, error_description }) {
        return { failure: { name, message, error, error_description } };
      }
    },
    /** Status, body and challenge of a response as scripts can read them; null if they may not. */
    async read(url, init) {
      try {
        const response = await fetch(url, init);
        const body = await response.text();
        return { status: response.status, body, challenge: response.headers.get('www-authenticate') };
      } catch {
        return null;
      }
    },
  };
};
