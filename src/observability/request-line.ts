import type { RequestRecord } from './request-record.ts';

/** Text that JSON shows as it is: printable ASCII without quotation mark and backslash. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** Members that a line has by itself; a field of a route cannot replace them. */
const OWN_NAMES: ReadonlySet<string> = new Set([
  ...['level', 'time', 'requestId', 'listener', 'route', 'method', 'status', 'durationMs'],
  ...['aborted', 'code', 'traceId', 'err', 'msg'],
]);

let lastTime = Number.NaN;
let lastTimeText = '';

/**
 * The log line of a finished exchange as JSON text with a line end: what pino would write, without the objects that it
 * is made through.
 *
 * @param isAllowed - Whether a line may have a field of this name.
 * @param now - Milliseconds since the epoch.
 */
export function requestLine(
  record: RequestRecord,
  isAllowed: (name: string) => boolean,
  now: number,
): string {
  const { requestId, listener, route, method, status, code, traceId } = record;
  const durationMs = Math.round(record.durationMs * 1000) / 1000;
  return (
    `{"level":"info","time":"${isoTime(now)}"${fieldsText(record.fields, isAllowed)}` +
    `,"requestId":${quoted(requestId)},"listener":${quoted(listener)},"route":${quoted(route)}` +
    `,"method":${quoted(method)},"status":${status},"durationMs":${durationMs}` +
    `${record.isAborted ? ',"aborted":true' : ''}${member('code', code)}${member('traceId', traceId)}` +
    ',"msg":"request"}\n'
  );
}

function fieldsText(fields: RequestRecord['fields'], isAllowed: (name: string) => boolean): string {
  let text = '';
  for (const name in fields) {
    if (!isAllowed(name) || OWN_NAMES.has(name)) continue;
    const value = fields[name];
    // objects would bring names of their own past the list
    if (typeof value === 'string') text += `,"${name}":${quoted(value)}`;
    else if (typeof value === 'number' || typeof value === 'boolean') {
      text += `,"${name}":${JSON.stringify(value)}`;
    }
  }
  return text;
}

function member(name: string, value: string | undefined): string {
  return value === undefined ? '' : `,"${name}":${quoted(value)}`;
}

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

function isoTime(milliseconds: number): string {
  if (milliseconds !== lastTime) {
    lastTimeText = new Date(milliseconds).toISOString();
    lastTime = milliseconds;
  }
  return lastTimeText;
}
