import { describe, expect, it } from 'vitest';
import { discoveryDocument } from '../../src/oidc/discovery-document.ts';
import { testConfig } from './support/test-keys.ts';

const BASE = 'https://id.example.org';

// the document of spec/sign-in.md#discovery-document and the languages of the pages
const DOCUMENT = `{
  "issuer": "https://id.example.org",
  "authorization_endpoint": "https://id.example.org/authorize",
  "token_endpoint": "https://id.example.org/token",
  "userinfo_endpoint": "https://id.example.org/userinfo",
  "jwks_uri": "https://id.example.org/jwks",
  "scopes_supported": ["openid", "email", "profile", "offline_access"],
  "response_types_supported": ["code", "id_token", "id_token token", "code id_token", "code token", "code id_token token"],
  "grant_types_supported": ["authorization_code", "implicit", "refresh_token"],
  "subject_types_supported": ["pairwise"],
  "id_token_signing_alg_values_supported": ["RS256", "RSA"],
  "response_modes_supported": ["query", "fragment", "form_post"],
  "code_challenge_methods_supported": ["S256"],
  "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"],
  "introspection_endpoint": "https://id.example.org/introspect",
  "introspection_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
  "revocation_endpoint": "https://id.example.org/revoke",
  "revocation_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"],
  "pushed_authorization_request_endpoint": "https://id.example.org/par",
  "require_pushed_authorization_requests": false,
  "dpop_signing_alg_values_supported": ["ES256", "ES384", "EdDSA", "Ed25519", "RS256", "PS256"],
  "authorization_response_iss_parameter_supported": true,
  "acr_values_supported": ["orb", "device"],
  "claim_types_supported": ["normal"],
  "claims_supported": ["iss", "sub", "aud", "exp", "iat", "jti", "auth_time", "acr", "nonce", "at_hash", "c_hash", "scope", "email", "name", "given_name", "family_name", "https://id.example.org/beta", "https://id.example.org/v1"],
  "claims_parameter_supported": false,
  "request_parameter_supported": false,
  "request_uri_parameter_supported": false,
  "ui_locales_supported": ["en", "es", "de", "fr", "pt", "ja"]
}`;

describe('discovery document', () => {
  it('has the members of the specification in their order', async () => {
    const document = discoveryDocument(await testConfig({ baseUrl: BASE }));
    expect(JSON.stringify(document)).toBe(JSON.stringify(JSON.parse(DOCUMENT)));
  });

  it('keeps the path of baseUrl in every address', async () => {
    const document = discoveryDocument(await testConfig({ baseUrl: 'http://localhost:8080/id' }));
    expect(document).toMatchObject({
      issuer: 'http://localhost:8080/id',
      token_endpoint: 'http://localhost:8080/id/token',
      jwks_uri: 'http://localhost:8080/id/jwks',
    });
  });

  it('names documentation and policies if they are set', async () => {
    const document = discoveryDocument(
      await testConfig({
        'signin.documentationUrl': 'https://docs.example/id',
        'signin.policyUrl': 'https://docs.example/privacy',
        'signin.termsUrl': 'https://docs.example/terms',
      }),
    );
    expect(document).toMatchObject({
      service_documentation: 'https://docs.example/id',
      op_policy_uri: 'https://docs.example/privacy',
      op_tos_uri: 'https://docs.example/terms',
    });
  });

  it('lists only the claims that the settings enable', async () => {
    const document = discoveryDocument(
      await testConfig({ baseUrl: BASE, 'claims.beta': 'false', 'claims.emailVerified': 'true' }),
    );
    expect(document.claims_supported).toContain('email_verified');
    expect(document.claims_supported).not.toContain(`${BASE}/beta`);
  });
});
