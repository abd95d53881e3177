import type { RequestRecord } from './request-record.ts';

/** Text that JSON shows as it is: printable ASCII without quotation mark and backslash. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** What stands behind the whole number of so many thousandths, as JSON writes it. */
const THOUSANDTHS: readonly string[] = Array.from({ length: 1000 }, (_, count) =>
  String(count / 1000).slice(1),
);

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
  /** Fields that many lines share, as members. */
  readonly #shared = new WeakMap<object, string>();
  #lastTime = Number.NaN;
  #lastStart = '';

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
    const middle = `,"requestId":${quoted(requestId)}${this.#place(record)}${status},"durationMs":${inThousandths(record.durationMs)}`;
    const further =
      isAborted || code !== undefined || traceId !== undefined
        ? `${isAborted ? ',"aborted":true' : ''}${member('code', code)}${member('traceId', traceId)}`
        : '';
    return `${this.#start(now)}${fields === undefined ? '' : this.#fields(fields)}${middle}${further},"msg":"request"}\n`;
  }

  #fields(fields: NonNullable<RequestRecord['fields']>): string {
    const known = this.#shared.get(fields);
    if (known !== undefined) return known;
    const text = this.#members(fields);
    if (!Object.isFrozen(fields)) return text;
    this.#shared.set(fields, inOnePiece(text));
    return text;
  }

  #members(fields: NonNullable<RequestRecord['fields']>): string {
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
      place = inOnePiece(
        `,"listener":${quoted(listener)},"route":${quoted(route)},"method":${quoted(method)},"status":`,
      );
      routes.set(route, place);
    }
    return place;
  }

  #start(milliseconds: number): string {
    if (milliseconds !== this.#lastTime) {
      this.#lastStart = inOnePiece(`{"level":"info","time":"${new Date(milliseconds).toISOString()}"`);
      this.#lastTime = milliseconds;
    }
    return this.#lastStart;
  }
}

/** The same text. V8 keeps one that was put together as its pieces, and puts them together again in every line. */
function inOnePiece(text: string): string {
  return Buffer.from(text).toString();
}

/** A number that is not negative, rounded to thousandths: the digits of a fraction are not worked out each time. */
function inThousandths(value: number): string {
  const count = Math.round(value * 1000);
  const rest = count % 1000;
  return rest === 0 ? String(count / 1000) : `${(count - rest) / 1000}${THOUSANDTHS[rest]}`;
}

function member(name: string, value: string | undefined): string {
  return value === undefined ? '' : `,"${name}":${quoted(value)}`;
}

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}
