/** The words of a space-separated list, as `scope`, `response_type`, `prompt` and `acr_values` are. */
export function wordsOf(text: string | undefined): string[] {
  return (text ?? '').split(' ').filter((word) => word !== '');
}

/** Whether a list holds a word, case-sensitively. */
export function hasWord(text: string | undefined, word: string): boolean {
  return wordsOf(text).includes(word);
}
