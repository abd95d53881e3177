/**
 * The one registry of apps (signin.md section 12, verify.md section 9): each is a relying party of verification and,
 * with redirect URIs, a client of sign-in. What an operator may say of one, and its secrets; rows are in `src/storage`.
 */
export { isStaging } from '../config/apps/client-id.ts';
export { APP_ID } from './app-id.ts';
export {
  type AppChange,
  createApp,
  findApp,
  type NewApp,
  removeApp,
  setAppStatus,
  updateApp,
  VERIFICATION_STATES,
} from './apps.ts';
export { type Clients, type ClientsOptions, createClients } from './clients.ts';
export { type KeyConfig, masterKeyOf, previousMasterKeyOf } from './master-key.ts';
export { matchesRedirectUri, originsOf } from './match-redirect-uri.ts';
export { secretKeyOf } from './secret-key.ts';
