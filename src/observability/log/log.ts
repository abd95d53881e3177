import { createRequire } from 'node:module';
import { type DestinationStream, type Logger, pino } from 'pino';
import { ERRORS } from '../../errors/catalogue.ts';
import type { ErrorSpec } from '../../errors/spec.ts';
import { describeError, type ErrorDescription, StackWindow, withoutStacks } from './describe-error.ts';
import { REQUEST_LOG_FIELDS, type RequestRecord, requestLine, requestMembers } from './request-record.ts';
import { Tally } from './tally.ts';

/** Above this size the buffered lines are written immediately. */
const MAX_BUFFERED_CHARACTERS = 16_384;
const MAX_DELAY_MS = 10;

/**
 * Buffers lines for a synchronous destination. Lines of finished requests are buffered for some milliseconds and written
 * together, since each write is a system call; any other line is written immediately, after the lines before it. On exit
 * of the process, except by a signal that kills it, the buffered lines are written.
 */
export class LineBuffer {
  readonly #destination: DestinationStream;
  #buffered = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(destination: DestinationStream) {
    this.#destination = destination;
    process.on('exit', () => this.flush());
  }

  /** Writes a line immediately. */
  write(line: string): void {
    this.flush();
    this.#destination.write(line);
  }

  /** Writes a line within `MAX_DELAY_MS`. */
  writeSoon(line: string): void {
    this.#buffered += line;
    if (this.#buffered.length > MAX_BUFFERED_CHARACTERS) this.flush();
    else this.#timer ??= setTimeout(() => this.#fire(), MAX_DELAY_MS);
  }

  /** Writes the buffered lines. */
  flush(): void {
    if (this.#buffered === '') return;
    const lines = this.#buffered;
    this.#buffered = '';
    this.#destination.write(lines);
  }

  #fire(): void {
    this.#timer = undefined;
    this.flush();
  }
}

/**
 * Allowed names in a log line. Other fields are dropped, so that a carelessly added one cannot leak a token, proof,
 * nullifier or body (spec/operations.md#log-fields).
 */
const ALLOWED_FIELDS: ReadonlySet<string> = new Set([
  // a request
  'requestId',
  'listener',
  'route',
  'method',
  'status',
  'durationMs',
  'aborted',
  'code',
  'traceId',
  ...REQUEST_LOG_FIELDS,
  // roots
  'identifier',
  'tree',
  'source',
  // engine and store
  'queue',
  'backend',
  'arithmetic',
  'reason',
  'workers',
  'restarts',
  'operation',
  'table',
  'rows',
  'keyId',
  'version',
  'plan',
  // start, stop, configuration
  'profile',
  'host',
  'port',
  'url',
  'setting',
  'settings',
  'signal',
  'exitCode',
  'open',
  'node',
  'notice',
  'count',
  'library',
  'package',
  // a row of the audit log
  'seq',
  'hash',
  'actor',
  'action',
  'target',
  'event',
  'err',
]);

/** Second line of defence: names removed even if added to the list above. */
const REDACTED_NAMES = ['authorization', 'cookie', 'token', 'secret', 'proof', 'nullifier', 'sub', 'idComm'];

const UNAVAILABLE = 503;

/** Number of refusals of one address and code with a line each, and number of addresses with separate counts. */
const LINES_PER_REFUSAL = 100;
const MAX_REFUSED = 1000;

/** Fields of a log line; `err` is any thrown value. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The log of a process: JSON lines with an allow-list of fields. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  fatal(message: string, fields?: LogFields): void;
  /**
   * Writes a line for a finished exchange: level info, or error with the cause for an unintended 5xx. Clients can cause
   * any number of refusals, so 503 of one listener and code share a line, with their number in `count`, and so do 4xx
   * of one address and code after the first few.
   */
  request(record: RequestRecord): void;
  /**
   * Writes a warning that clients can trigger arbitrarily often: one line per cause in ten seconds, with the number in
   * `count`.
   */
  repeated(cause: string, message: string, fields?: LogFields): void;
  /** Writes pending lines and counts. */
  flush(): void;
}

/** Settings of `createLog`. */
export interface LogSettings {
  /** pino level: `trace` to `fatal`, or `silent`. */
  readonly level: string;
  /** `pretty` applies only on a terminal and if pino-pretty, a development package, is installed. */
  readonly format: 'json' | 'pretty';
  /** Destination of lines; standard output by default. */
  readonly destination?: DestinationStream | 'stderr';
}

/** Creates the log of a process. */
export function createLog(settings: LogSettings): Log {
  const { destination = 'stdout' } = settings;
  const lines = typeof destination === 'string' ? openStream(settings.format, destination) : destination;
  const stacks = new StackWindow();
  const tally = new Tally();
  const refusals = new Tally(LINES_PER_REFUSAL);
  const logger = pino(
    {
      level: settings.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: keepAllowed },
      serializers: {
        err: (error: unknown) => (error instanceof Refusal ? error.describe() : stacks.describe(error)),
      },
      redact: { paths: REDACTED_NAMES, remove: true },
    },
    lines,
  );
  const isInfo = logger.isLevelEnabled('info');
  const writeLine = (line: string): void =>
    lines instanceof LineBuffer ? lines.writeSoon(line) : lines.write(line);
  return {
    debug: (message, fields = {}) => logger.debug(fields, message),
    info: (message, fields = {}) => logger.info(fields, message),
    warn: (message, fields = {}) => logger.warn(fields, message),
    error: (message, fields = {}) => logger.error(fields, message),
    fatal: (message, fields = {}) => logger.fatal(fields, message),
    request(record) {
      if (!record.isLogged) return;
      if (record.status >= 500 && !isIntended(record.code)) {
        if (record.status === UNAVAILABLE) {
          tally.note(`${record.listener} ${record.code ?? record.route}`, (count) =>
            writeRefusals(logger, 'error', record, count),
          );
        } else logger.error({ ...requestMembers(record), err: record.error }, 'request');
      } else if (isInfo) {
        const writeOwn = (): void => writeLine(requestLine(record, Date.now()));
        if (record.clientKey === undefined) return writeOwn();
        const cause = `${record.listener} ${record.code ?? record.status}`;
        const ofAddress = `${cause} ${record.clientKey}`;
        const isApart = refusals.size < MAX_REFUSED || refusals.has(ofAddress);
        refusals.note(isApart ? ofAddress : cause, (count) => {
          if (count === 1) writeOwn();
          else writeRefusals(logger, 'info', record, count);
        });
      }
    },
    repeated(cause, message, fields = {}) {
      tally.note(cause, (count) => logger.warn({ ...fields, count }, message));
    },
    flush() {
      tally.flush();
      refusals.flush();
      if (lines instanceof LineBuffer) lines.flush();
      logger.flush();
    },
  };
}

function isIntended(code: string | undefined): boolean {
  const spec = code === undefined ? undefined : (ERRORS as Readonly<Record<string, ErrorSpec>>)[code];
  return spec?.isIntended === true;
}

/** Error of a refusal, logged without call sites, which are the same each time. */
class Refusal {
  readonly #error: unknown;

  constructor(error: unknown) {
    this.#error = error;
  }

  describe(): ErrorDescription {
    return withoutStacks(describeError(this.#error));
  }
}

/** Writes the first refusal of a window as the line of its request, and the others as one line. */
function writeRefusals(logger: Logger, level: 'info' | 'error', record: RequestRecord, count: number): void {
  const { listener, route, status, code, error } = record;
  const err = error === undefined ? undefined : new Refusal(error);
  if (count === 1) logger[level]({ ...requestMembers(record), count, err }, 'request');
  else logger[level]({ listener, route, status, code, count, err }, 'requests refused');
}

function keepAllowed(fields: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || !ALLOWED_FIELDS.has(name)) continue;
    if (name === 'err' || isPlain(value)) kept[name] = value;
  }
  return kept;
}

// Objects could contain names that bypass the list.
function isPlain(value: unknown): boolean {
  return Array.isArray(value) ? value.every(isScalar) : isScalar(value);
}

function isScalar(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function openStream(
  format: LogSettings['format'],
  name: 'stdout' | 'stderr',
): DestinationStream | LineBuffer {
  const { fd, isTTY } = process[name];
  if (format === 'pretty' && isTTY) {
    const pretty = loadPretty(fd);
    if (pretty !== undefined) return pretty;
  }
  return new LineBuffer(pino.destination({ dest: fd, sync: true }));
}

function loadPretty(destination: number): DestinationStream | undefined {
  const require = createRequire(import.meta.url);
  try {
    const pretty: (options: object) => DestinationStream = require('pino-pretty');
    return pretty({ destination, sync: true, translateTime: 'SYS:HH:MM:ss.l', ignore: 'listener' });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}
