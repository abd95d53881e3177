/**
 * Issuance (spec/refresh.md#issuance): signs a credential outside of any transaction, then binds, counts and
 * records it in one, and signs again if the store has another genesis or the id is taken.
 */
export { createIssuer, type IssueInput, type Issuer, type IssuerParts } from './issue-credential.ts';
