/** Members of JSON bodies whose values are secret, or too long to read. */
const MEMBERS: ReadonlySet<string> = new Set([
  'access_token',
  'id_token',
  'k',
  'iv',
  'payload',
  'proof',
  'n',
]);
/** Fields of forms and URLs; there `code` is a secret, in a body it is an error code. */
const FIELDS: ReadonlySet<string> = new Set([...MEMBERS, 'code', 'code_verifier', 'token']);
const SHOWN_CHARACTERS = 12;

/** Shortens a value to its beginning and its length. */
export function shorten(value: string): string {
  if (value.length <= SHOWN_CHARACTERS) return value;
  return `${value.slice(0, SHOWN_CHARACTERS)}… (${value.length} characters)`;
}

/** Shortens the members of a JSON value that hold a token, a proof or a key, at any depth. */
export function shortenMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shortenMembers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      MEMBERS.has(name) && typeof member === 'string' ? shorten(member) : shortenMembers(member),
    ]),
  );
}

/** Shortens the fields of a form in the same way. */
export function shortenFields(fields: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, FIELDS.has(name) ? shorten(value) : value]),
  );
}

/** Shortens the same fields in the query and the fragment of a URL. */
export function shortenUrl(url: string): string {
  return url.replaceAll(/([?&#])([^=&#?]+)=([^&#]*)/g, (_, before: string, name: string, value: string) => {
    const shown = FIELDS.has(name) ? shorten(value) : value;
    return `${before}${name}=${shown}`;
  });
}
