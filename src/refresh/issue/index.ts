/**
 * Issuance (spec/refresh.md#issuance): signs a credential outside of any transaction, then binds, counts and
 * records it in one, and signs again where the store knows better.
 */
export { createIssuer, type Issuer, type IssuerParts, type IssueWish } from './issue-credential.ts';
