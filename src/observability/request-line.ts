import type { RequestRecord } from './request-record.ts';

/** Text that JSON shows as it is: printable ASCII without quotation mark and backslash. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** Members that a line has by itself; a field of a route cannot replace them. */
const OWN_NAMES: ReadonlySet<string> = new Set([
  ...['level', 'time', 'requestId', 'listener', 'route', 'method', 'status', 'durationMs'],
  ...['aborted', 'code', 'traceId', 'err', 'msg'],
]);

/**
 * Writes the log lines of finished exchanges as JSON text: what pino would write, without the objects that it is made
 * through. What many lines have in common is put together once.
 */
export class RequestLines {
  readonly #names: ReadonlySet<string>;
  /** Listener, route and method as members, by listener and method, then by route: a few of each. */
  readonly #places = new Map<string, Map<string, string>>();
  #lastTime = Number.NaN;
  #lastTimeText = '';

  /** @param names - Names that a line may have beside its own. */
  constructor(names: Iterable<string>) {
    this.#names = new Set([...names].filter((name) => !OWN_NAMES.has(name)));
  }

  /**
   * The line of an exchange, with its end.
   *
   * @param now - Milliseconds since the epoch.
   */
  line(record: RequestRecord, now: number): string {
    const { requestId, status, code, traceId, isAborted, fields } = record;
    const durationMs = Math.round(record.durationMs * 1000) / 1000;
    const start = `{"level":"info","time":"${this.#isoTime(now)}"`;
    const middle = `,"requestId":${quoted(requestId)}${this.#place(record)}${status},"durationMs":${durationMs}`;
    const further =
      isAborted || code !== undefined || traceId !== undefined
        ? `${isAborted ? ',"aborted":true' : ''}${member('code', code)}${member('traceId', traceId)}`
        : '';
    return `${start}${fields === undefined ? '' : this.#fields(fields)}${middle}${further},"msg":"request"}\n`;
  }

  #fields(fields: NonNullable<RequestRecord['fields']>): string {
    let text = '';
    for (const name of Object.keys(fields)) {
      if (!this.#names.has(name)) continue;
      const value = fields[name];
      // objects would bring names of their own past the list
      if (typeof value === 'string') text += `,"${name}":${quoted(value)}`;
      else if (typeof value === 'number' || typeof value === 'boolean') {
        text += `,"${name}":${JSON.stringify(value)}`;
      }
    }
    return text;
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
      place = `,"listener":${quoted(listener)},"route":${quoted(route)},"method":${quoted(method)},"status":`;
      routes.set(route, place);
    }
    return place;
  }

  #isoTime(milliseconds: number): string {
    if (milliseconds !== this.#lastTime) {
      this.#lastTimeText = new Date(milliseconds).toISOString();
      this.#lastTime = milliseconds;
    }
    return this.#lastTimeText;
  }
}

function member(name: string, value: string | undefined): string {
  return value === undefined ? '' : `,"${name}":${quoted(value)}`;
}

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}
