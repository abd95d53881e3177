/**
 * Parts of the composition root (`src/app/app.ts`): the checks before a start in production, the listeners
 * with their routes, the readiness checks, and the order of the shutdown. Rules:
 * spec/operations.md#process-model, spec/operations.md#production-refusals, spec/operations.md#health and
 * spec/operations.md#shutdown.
 */

export { refuseUnsafeProduction } from './checks/production.ts';
export { runSelfCheck, type SelfCheckParts } from './checks/self-check.ts';
export { gatherStoreFacts } from './checks/start-facts.ts';
export { createServiceHealth } from './checks/start-health.ts';
export { openAdminListener } from './listeners/admin-listener.ts';
export { openPublicListener } from './listeners/public-listener.ts';
export { createCircuit } from './parts/circuit.ts';
export { metricSources } from './parts/metric-sources.ts';
export { identifyNode, joinNodes, type NodeIdentity, type NodeRecord } from './parts/node-record.ts';
export { recordSettings } from './parts/record-settings.ts';
export { createRefreshParts, type RefreshService, refreshKeyIds } from './parts/refresh.ts';
export { createRootSources, type RootSources } from './parts/root-sources.ts';
export { createSignin, type Signin } from './parts/signin.ts';
export { stopSequence } from './parts/stop-sequence.ts';
export { type Sweeper, startSweeper } from './parts/sweeper.ts';
export { startServiceTracing, tracedEngine, tracedStore } from './parts/tracing.ts';
export { type Undo, undoAll } from './parts/undo.ts';
export { startUsageWriter, type UsageWriter } from './parts/usage-writer.ts';
