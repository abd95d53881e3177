import { distance } from 'fastest-levenshtein';

/**
 * Returns the known name nearest to a wrong one, or undefined if none is near. Case is ignored: `engine.maxqueue` finds
 * `engine.maxQueue`.
 */
export function didYouMean(wrong: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(wrong.length / 4)) + 1;
  for (const name of known) {
    // Most names are excluded by their length.
    if (Math.abs(name.length - wrong.length) >= bestDistance) continue;
    const edits = distance(wrong.toLowerCase(), name.toLowerCase());
    if (edits < bestDistance) {
      best = name;
      bestDistance = edits;
    }
  }
  return best;
}
