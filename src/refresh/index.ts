/**
 * Credential refresh without HTTP: `refresh.ts` is the order of the checks, each folder one part of them. `request`
 * reads form and query, `holder` checks the holder's proof, `package` the custody package, `credential` is the signed
 * object, `keys` signs it, `issue` binds and records, `records` is what operators import.
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
