import { ERRORS, type ErrorCode, type ErrorSpec } from '../errors/index.ts';
import { code, GENERATED } from './markdown.ts';

const RETRY: Readonly<Record<ErrorSpec['retry'], string>> = {
  never: 'The same call fails again; change it first.',
  later: 'The same call can succeed later.',
};

function quoted(text: string | undefined): string {
  return text === undefined ? 'with a detail that depends on the request' : `“${text}”`;
}

function attribute(name: string | undefined): string {
  return name === undefined ? '' : `, attribute ${code(name)}`;
}

function wireForms({ verify, verifyItem, verifyItem4, signin, refresh, exit }: ErrorSpec): string[] {
  return [
    ...(verify === undefined
      ? []
      : [
          `- Verification, whole request: ${verify.status} ${code(verify.code)}, ${quoted(verify.detail)}${attribute(verify.attribute)}`,
        ]),
    ...(verifyItem === undefined
      ? []
      : [
          `- Verification, one item: ${code(verifyItem.code)}, ${quoted(verifyItem.detail)}${attribute(verifyItem.attribute)}`,
        ]),
    ...(verifyItem4 === undefined
      ? []
      : [
          `- Verification, one item of World ID 4.0: ${code(verifyItem4.code)}, ${quoted(verifyItem4.detail)}`,
        ]),
    ...(signin === undefined
      ? []
      : [
          `- Sign-in and wallet bridge: ${signin.status} ${code(signin.code)}, error ${code(signin.error)}, ${quoted(signin.text)}`,
        ]),
    ...(refresh === undefined
      ? []
      : [
          `- Credential refresh: ${refresh.status} ${refresh.error === undefined ? 'without `error`' : code(refresh.error)}, ${quoted(refresh.text)}`,
        ]),
    ...(exit === undefined ? [] : [`- Exit code of a command: ${exit}`]),
  ];
}

function section(name: string, spec: ErrorSpec): string {
  return [
    `## ${name}`,
    '',
    `${spec.title}.`,
    '',
    `- Cause: ${spec.cause}`,
    `- Cure: ${spec.cure}`,
    `- Retry: ${RETRY[spec.retry]}`,
    ...wireForms(spec),
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
