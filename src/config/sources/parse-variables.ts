import type { Fault } from './faults.ts';

/** Values by variable name. */
export type Variables = ReadonlyMap<string, string>;

const LINE = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/;
const QUOTED = /^(["'])(.*)\1$/;

/**
 * Parses a file of variables: one `NAME=value` per line, blank lines, and comments, which begin with `#` or `;`. This is
 * the format of systemd's `EnvironmentFile` and of `--env-file` of containers, without escapes: a value ends with its
 * line, spaces around it are ignored, and a pair of quotes around it is dropped.
 *
 * @param path - Prefix of each fault.
 */
export function parseVariables(
  path: string,
  text: string,
): { readonly variables: Variables; readonly faults: readonly Fault[] } {
  const variables = new Map<string, string>();
  const faults: Fault[] = [];
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue;
    const [, name, value = ''] = LINE.exec(line) ?? [];
    // The line itself is not shown: it may contain a secret.
    if (name === undefined) faults.push(`${path}:${index + 1}: expected NAME=value or a comment   from file`);
    else if (variables.has(name)) faults.push(`${path}:${index + 1}: ${name} is set twice   from file`);
    else variables.set(name, unquoted(value.trim()));
  }
  return { variables, faults };
}

function unquoted(text: string): string {
  return QUOTED.exec(text)?.[2] ?? text;
}
