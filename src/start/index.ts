/**
 * What the start and the stop of the service need beside the composition root (`src/app.ts`): the facts that production
 * checks before it starts, and the order in which everything ends.
 */
export { gatherStartFacts } from './start-facts.ts';
export { stopSequence } from './stop-sequence.ts';
