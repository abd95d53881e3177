/**
 * Credential refresh without HTTP: `refresh.ts` has the order of the checks, each folder a part of them.
 * `request` reads form and query, `holder` checks the holder's proof, `package` the custody package,
 * `keys` signs the credential (`src/credential`), `issue-credential.ts` binds and records, `records` imports and
 * exports for operators. Rules: spec/refresh.md#order-of-checks; the folders name their own headings.
 */
export { createRefresh, type RefreshParts } from './refresh.ts';
export type {
  Holder,
  ListedIssuerKey,
  Refresh,
  RefreshFacts,
  RefreshOutcome,
  RefreshRequest,
} from './types.ts';
