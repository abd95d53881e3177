/** Number of single-character edits between two words. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [row, left] of [...a].entries()) {
    const current = [row + 1];
    for (const [column, right] of [...b].entries()) {
      const replaced = (previous[column] ?? 0) + (left === right ? 0 : 1);
      const removed = (previous[column + 1] ?? 0) + 1;
      const added = (current[column] ?? 0) + 1;
      current.push(Math.min(replaced, removed, added));
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}

/**
 * The known name nearest to a wrong one, or undefined when none is near. Case does not count as a difference, so
 * that `engine.maxqueue` finds `engine.maxQueue`.
 */
export function didYouMean(wrong: string, known: Iterable<string>): string | undefined {
  const allowed = Math.max(2, Math.floor(wrong.length / 4));
  let best: string | undefined;
  let bestDistance = allowed + 1;
  for (const name of known) {
    if (Math.abs(name.length - wrong.length) >= bestDistance) {
      continue;
    }
    const distance = editDistance(wrong.toLowerCase(), name.toLowerCase());
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}
