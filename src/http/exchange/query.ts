import { parseParameters, refuseRepeated } from '../../oidc/index.ts';

/**
 * Reads the parameters `names` of a raw query as `parseParameters` does; others are ignored.
 *
 * @throws ServiceError `signin.repeated_parameter`, `signin.malformed_parameters`
 */
export function readQuery<Name extends string>(
  query: string,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const parameters = parseParameters(query);
  refuseRepeated(parameters, names);
  const given = names.flatMap((name) => {
    const value = parameters.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(given) as Partial<Record<Name, string>>;
}
