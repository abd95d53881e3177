/** Parts of a request, for server and browser code; no import. */

/** Request of the admin API. */
export interface OperationRequest {
  readonly method: MemberPlaces['method'];
  /** Below the base path, with its query. */
  readonly target: string;
  /** Undefined if the request has none. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** Places of the members of an input in a request. */
export interface MemberPlaces {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly inPath: readonly string[];
  readonly inQuery: readonly string[];
  /** Undefined if the request has no body. */
  readonly inBody: readonly string[] | undefined;
}

/**
 * Returns where the members of an input are sent: those in the path, the others of a GET or DELETE in the query, and the
 * others of a POST or PATCH in the body, which is absent if the path names everything.
 *
 * @param at - Method and path.
 */
export function placesOf(at: string, members: readonly string[]): MemberPlaces {
  const [method, path = ''] = at.split(' ') as [MemberPlaces['method'], string?];
  const inPath = members.filter((name) => path.includes(`{${name}}`));
  const others = members.filter((name) => !inPath.includes(name));
  if (method === 'GET' || method === 'DELETE') {
    return { method, path, inPath, inQuery: others, inBody: undefined };
  }
  const hasBody = others.length > 0 || inPath.length === 0;
  return { method, path, inPath, inQuery: [], inBody: hasBody ? others : undefined };
}

/**
 * Builds the request of a call; members that are undefined, and empty ones of the query, are left out.
 *
 * @param members - Of the input, also those that are not given: a request whose members of the body are all absent has an
 *   empty object as its body. Those that are given if absent.
 */
export function requestOf(
  at: string,
  input: Readonly<Record<string, unknown>>,
  members: readonly string[] = Object.keys(input),
): OperationRequest {
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  const { method, path, inQuery, inBody } = placesOf(at, members);
  const query = new URLSearchParams();
  for (const name of inQuery) {
    if (given[name] !== undefined && given[name] !== '') query.set(name, String(given[name]));
  }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(given[name])));
  return {
    method,
    target: query.size === 0 ? filled : `${filled}?${query}`,
    body: inBody && Object.fromEntries(Object.entries(given).filter(([name]) => inBody.includes(name))),
  };
}
