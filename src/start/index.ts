/**
 * The parts of the composition root (`src/app.ts`): the facts that production checks before it starts, the listeners with
 * their routes, the checks of readiness, and the order in which everything ends.
 */
export { openAdminListener } from './admin-listener.ts';
export { createCircuit } from './circuit.ts';
export { refuseUnsafeProduction } from './production.ts';
export { openPublicListener } from './public-listener.ts';
export { createRefreshParts, type RefreshService, refreshKeyIds } from './refresh.ts';
export { runSelfCheck, type SelfCheckParts } from './self-check.ts';
export { createSignin, type Signin } from './signin.ts';
export { gatherStoreFacts } from './start-facts.ts';
export { createServiceHealth } from './start-health.ts';
export { stopSequence } from './stop-sequence.ts';
export { type Sweeper, startSweeper } from './sweeper.ts';
