// The script of an app in the browser, bundled by a test with oidc-client-ts. It hangs what the test calls on `app`.
import { UserManager } from 'oidc-client-ts';

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
    /** Sign-in of a popup or a page that was come back to: the person as the app knows it, or what was wrong. */
    async finish() {
      try {
        const { profile, access_token, id_token, state, scope } = await manager.signinCallback();
        return { profile, accessToken: access_token, idToken: id_token, state, scope };
      } catch ({ name, message, error, error_description }) {
        return { failure: { name, message, error, error_description } };
      }
    },
    revoke: () => manager.revokeTokens(['access_token']),
    /** Status, body and challenge of an answer as a script can read them; null where it may not read it. */
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
