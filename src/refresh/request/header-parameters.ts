const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
// A quoted text that ends with a backslash is read as closed by some and as open by others.
const QUOTED = '"((?:[^"]*[^"\\\\])?)"';
const PARAMETER = new RegExp(`[ \\t]*;[ \\t]*(?:(${TOKEN})=(?:(${TOKEN})|${QUOTED}))?`, 'y');
const REST = /[ \t]*/y;

/**
 * The parameters `;name=value` of a header value, in the one form that all readers take alike: tokens, or quoted texts
 * without escaped quotes.
 *
 * @param start - Index at which the parameters begin, after the type.
 * @returns Values by name in lower case, quoted ones as they stand between the quotes; undefined when a parameter is
 * malformed or comes twice.
 */
export function readParameters(text: string, start: number): ReadonlyMap<string, string> | undefined {
  const values = new Map<string, string>();
  let end = start;
  PARAMETER.lastIndex = start;
  for (let match = PARAMETER.exec(text); match !== null; match = PARAMETER.exec(text)) {
    end = PARAMETER.lastIndex;
    const [, name, token, quoted] = match;
    if (name === undefined) continue;
    const key = name.toLowerCase();
    if (values.has(key)) return undefined;
    values.set(key, token ?? quoted ?? '');
  }
  REST.lastIndex = end;
  REST.test(text);
  return REST.lastIndex === text.length ? values : undefined;
}
