import { describe, expect, it } from 'vitest';
import { discoveryDocument } from '../../src/oidc/discovery-document.ts';
import { expectedDocument } from './support/discovery-document.ts';
import { testConfig } from './support/test-keys.ts';

const BASE = 'https://id.example.org';

describe('discovery document', () => {
  it('has the members of the specification in their order', async () => {
    const document = discoveryDocument(await testConfig({ baseUrl: BASE }));
    expect(JSON.stringify(document)).toBe(JSON.stringify(expectedDocument(BASE)));
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
