import { ERRORS, type ErrorCode } from '../errors/catalogue.ts';
import { factsOf } from '../errors/explain.ts';
import type { ErrorSpec } from '../errors/spec.ts';
import { GENERATED } from './markdown.ts';

function section(name: string, spec: ErrorSpec): string {
  return [
    `## ${name}`,
    '',
    `${spec.title}.`,
    '',
    ...factsOf(spec).map(([fact, text]) => `- ${fact}: ${text}`),
  ].join('\n');
}

/** Returns `errors.md`: every code of the catalogue with cause, cure and its forms on the wire. */
export function errorsPage(): string {
  const codes = Object.keys(ERRORS) as ErrorCode[];
  return `${GENERATED}
# Error codes

The log, the metric \`proofgate_errors_total\` and the messages of commands use these codes. Clients of the interfaces see
the coarser code listed under each. A released code keeps its meaning. A command that ends with an error has exit code 1
unless another one is listed.

${codes.map((name) => section(name, ERRORS[name])).join('\n\n')}
`;
}
