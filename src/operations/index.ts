/**
 * Operations of the admin API (spec/operations.md#admin-api), one table for each subject. An operation is defined once:
 * its input, its output and what it does. Its route (`src/http/routes/admin/operation-route.ts`), its part of the OpenAPI
 * document, the types of the dashboard's client and its command (`src/cli/operations`) follow from the definition.
 */
export { requestCheck, type SentRequest } from './check-request.ts';
export { adminOpenApi, refusalsOf } from './openapi.ts';
export type {
  AdminServices,
  ObjectSchema,
  Operation,
  OperationCall,
  OperationServices,
  StoreOperation,
} from './operation.ts';
export { ADMIN_BASE_PATH } from './operation.ts';
export { type AdminApi, OPERATIONS, type OutputOfOperation } from './table.ts';
