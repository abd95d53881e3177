import type { Bytes32 } from '../../../storage/values.ts';
import type { RootReader } from '../source-runner.ts';
import { providersJson } from './provider-states.ts';
import { SourceReader, type SourceReaderParts } from './source-reader.ts';

/** Up to this many unknown roots are queried one by one before a round; for more, a round is cheaper. */
const MAX_QUERIED_ROOTS = 8;

/** Creates the reader of a source on a chain. */
export function createChainReader(parts: SourceReaderParts): RootReader {
  const { source, chain } = parts;
  const reader = new SourceReader(parts);
  // Wallets of World ID 4.0 prove over roots that are seconds old.
  const confirmations = source.kind === 'registry4' ? 0 : source.confirmations;

  async function isKnown(roots: readonly Bytes32[]): Promise<boolean> {
    if (source.kind === 'identity-manager' || roots.length > MAX_QUERIED_ROOTS) return true;
    const head = await chain.target(confirmations);
    const answers = await Promise.all(roots.map((root) => reader.facts.knows(root, head)));
    return answers.some((isKnownRoot) => isKnownRoot);
  }

  return {
    open: () => reader.open(),
    round: () => reader.round(),
    unscheduledRound: async (roots) => ((await isKnown(roots)) ? reader.round(confirmations) : 'same'),
    providers: () => providersJson(chain),
  };
}
