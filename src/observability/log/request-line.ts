import { REQUEST_LOG_FIELDS, type RequestLogFields, type RequestRecord } from './request-record.ts';

/** Text that JSON does not escape: printable ASCII without quotation mark and backslash. */
const PLAIN = /^[ !#-[\]-~]*$/;

/**
 * Writes the log lines of finished exchanges as JSON text, equal to what pino writes for the same members but without
 * its intermediate objects. Parts that many lines share are built once.
 */
export class RequestLines {
  /** JSON members for listener, route and method, by listener and method, then by route. */
  readonly #places = new Map<string, Map<string, string>>();
  #lastTime = Number.NaN;
  #lastStart = '';

  /**
   * Returns the line of an exchange, with its line break.
   *
   * @param now - Milliseconds since the epoch.
   */
  line(record: RequestRecord, now: number): string {
    const { requestId, status, code, traceId, isAborted, fields } = record;
    const middle = `,"requestId":${quoted(requestId)}${this.#place(record)}${status},"durationMs":${Math.round(record.durationMs * 1000) / 1000}`;
    const further =
      isAborted || code !== undefined || traceId !== undefined
        ? `${isAborted ? ',"aborted":true' : ''}${member('code', code)}${member('traceId', traceId)}`
        : '';
    return `${this.#start(now)}${fields === undefined ? '' : fieldMembers(fields)}${middle}${further},"msg":"request"}\n`;
  }

  #place({ listener, route, method }: RequestRecord): string {
    const key = listener === 'public' ? method : `${listener} ${method}`;
    let routes = this.#places.get(key);
    if (routes === undefined) {
      routes = new Map();
      this.#places.set(key, routes);
    }
    let place = routes.get(route);
    if (place === undefined) {
      place = flattened(
        `,"listener":${quoted(listener)},"route":${quoted(route)},"method":${quoted(method)},"status":`,
      );
      routes.set(route, place);
    }
    return place;
  }

  #start(milliseconds: number): string {
    if (milliseconds !== this.#lastTime) {
      this.#lastStart = flattened(`{"level":"info","time":"${new Date(milliseconds).toISOString()}"`);
      this.#lastTime = milliseconds;
    }
    return this.#lastStart;
  }
}

/** Flattens a string: V8 keeps a concatenation as a tree of its parts, and would copy them for every line. */
function flattened(text: string): string {
  return Buffer.from(text).toString();
}

/** Start of the member of each field. */
const FIELD_STARTS: ReadonlyMap<string, string> = new Map(
  [...REQUEST_LOG_FIELDS].map((name) => [name, flattened(`,"${name}":`)]),
);

function fieldMembers(fields: RequestLogFields): string {
  let text = '';
  for (const name in fields) {
    const value = fields[name as keyof RequestLogFields];
    const start = value === undefined ? undefined : FIELD_STARTS.get(name);
    if (start === undefined) continue;
    if (typeof value === 'string') text += start + quoted(value);
    else if (typeof value === 'boolean' || Number.isFinite(value)) text += start + value;
    else if (typeof value === 'number') text += `${start}null`;
  }
  return text;
}

function member(name: string, value: string | undefined): string {
  return value === undefined ? '' : `,"${name}":${quoted(value)}`;
}

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}
