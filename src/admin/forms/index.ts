/**
 * Objects as the admin API and the commands with `--json` show them: members spelled as on the wire, times in ISO 8601,
 * never a secret. The forms of apps are in `src/apps`, that of roots in `src/membership`.
 */
export { adminTokenJson, type ShownAdminToken } from './admin-token.ts';
export { auditJson, type ShownAuditRow } from './audit-row.ts';
export { credentialKeyJson, type ShownCredentialKey } from './credential-key.ts';
export { orbKeyJson } from './orb-key.ts';
export { refreshFamilyJson, type ShownRefreshFamily } from './refresh-family.ts';
export { sourceJson } from './root-source.ts';
export { type ShownSession, sessionJson } from './session.ts';
export { type ShownKey, type ShownSigningKey, signingKeyJson } from './signing-key.ts';
export { bindingJson, type ShownBinding, signupJson } from './signup.ts';
export { type ShownVerifyingKey, verifyingKeyJson } from './verifying-key.ts';
export { type ShownEvent, webhookEventJson } from './webhook-event.ts';
