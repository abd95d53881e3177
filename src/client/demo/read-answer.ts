/** An authorization response as it reached the page. */
export interface Answer {
  readonly mode: 'query' | 'fragment' | 'form_post';
  /** Names and values in the order in which they came. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** Returns the value of a parameter; undefined if it is absent. */
  get(name: string): string | undefined;
}

/**
 * Finds the authorization response: in the form that the server passed on, in the fragment, or in the query.
 *
 * @param posted - Parameters of a form; undefined if the page was opened without one.
 * @returns undefined if there is none, as when the address was typed or reloaded.
 */
export function readAnswer(
  { hash, search }: Pick<Location, 'hash' | 'search'>,
  posted?: readonly (readonly [string, string])[],
): Answer | undefined {
  if (posted !== undefined) return answerOf('form_post', posted);
  if (hash.length > 1) return answerOf('fragment', [...new URLSearchParams(hash.slice(1))]);
  if (search.length > 1) return answerOf('query', [...new URLSearchParams(search)]);
  return undefined;
}

function answerOf(mode: Answer['mode'], parameters: Answer['parameters']): Answer {
  const values = new Map(parameters);
  return { mode, parameters, get: (name) => values.get(name) };
}
