/**
 * The development profile: trees and persons in the store, the built circuit in the data folder. The server
 * uses only these exports. The prover (`prove.ts`) and the setup load GPL packages when they run, so commands
 * import them by file and the server never does. Rules: spec/operations.md#profiles,
 * spec/verification.md#development-setup and spec/verification.md#development-trees.
 */

export { DEVELOPMENT_TREES } from '../pages.ts';
export { type CircuitFiles, circuitFolder, findCircuitFiles, requireCircuitFiles } from './circuit-files.ts';
export {
  type CircuitEvent,
  type CircuitMaker,
  createCircuitMaker,
} from './circuit-maker.ts';
export { DEMO_CLIENT_ID, DEMO_CLIENT_NAME, demoRedirectUri, seedDemoClient } from './demo-client.ts';
export { DEMO_ID_COMM, DEMO_ORB_ID, refreshCurl, refreshExample, seedDemoHolder } from './demo-holder.ts';
export { createPerson, findMember, identityOf, type Member, type PersonParts } from './persons.ts';
export {
  createDevelopmentTrees,
  DEVELOPMENT_KEY,
  type DevelopmentTrees,
  type DevelopmentTreesParts,
  type EnrolledLeaf,
} from './trees.ts';
export { developmentIssuer, seedWorldId4AtStart, TRAPDOOR_KEY } from './worldid4/seed.ts';
