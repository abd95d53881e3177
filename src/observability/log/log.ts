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
  'samplePercent',
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
  'frontEnd',
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

/** Number of refusals of one cause with a line each, and number of addresses with separate counts. */
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
  /** Writes the line of a row that was added to the audit log, at every level. */
  audit(fields: LogFields): void;
  /**
   * Writes a line for a finished exchange: of an unintended 5xx at level error, with the cause; of others if the access log
   * has them, at any level. Clients can cause any number of refusals, so 503 of one listener and code share a line, with
   * their number in `count`, and so do 4xx of one address and code after the first few; in an access log of failures also
   * cut and slow requests of one route.
   */
  request(record: RequestRecord): void;
  /**
   * Writes a warning that clients can trigger arbitrarily often: one line per cause in ten seconds, with the number in
   * `count`.
   */
  repeated(cause: string, message: string, fields?: LogFields): void;
  /** Writes whole lines, with their line breaks, that the log of another thread has formatted. */
  writeLines(lines: string): void;
  /** Writes pending lines and counts; those of a thread are then posted, before whatever it posts next. */
  flush(): void;
}

/** Settings of `createLog`. */
export interface LogSettings {
  /** pino level: `trace` to `fatal`, or `silent`. */
  readonly level: string;
  /** `pretty` applies only on a terminal and if pino-pretty, a development package, is installed. */
  readonly format: 'json' | 'pretty';
  /** Requests that have a line of level info. */
  readonly access: 'all' | 'failures' | 'off';
  /** Share of the requests without a failure that have a line if `access` is `failures`, in percent. */
  readonly accessSamplePercent: number;
  /** Time from which a request counts as a failure, in milliseconds. */
  readonly accessSlowMs: number;
  /** Returns a random number from 0 up to 1; default: `Math.random`. */
  readonly random?: () => number;
  /**
   * Destination of lines; standard output by default. In a thread that is a `LineBuffer` over a function that posts the
   * lines to the main thread, which calls `writeLines`.
   */
  readonly destination?: DestinationStream | 'stderr';
}

/** Creates the log of a process. */
export function createLog(settings: LogSettings): Log {
  const {
    destination = 'stdout',
    random = Math.random,
    access,
    accessSamplePercent,
    accessSlowMs,
  } = settings;
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
  const atAnyLevel = logger.child({}, { level: 'info' });
  const writeLine = (line: string): void =>
    lines instanceof LineBuffer ? lines.writeSoon(line) : lines.write(line);
  const writeOwn = (record: RequestRecord, samplePercent?: number): void =>
    writeLine(requestLine(record, Date.now(), samplePercent));
  /** Writes the first failures of a cause one by one, and the others as one line. */
  const writeFailure = (record: RequestRecord, cause: string, message?: string): void =>
    refusals.note(cause, (count) => {
      if (count === 1) writeOwn(record);
      else writeRefusals(atAnyLevel, 'info', record, count, message);
    });
  const writeAccess = (record: RequestRecord): void => {
    const { listener, route, status, code, clientKey } = record;
    if (clientKey !== undefined) {
      const cause = `${listener} ${code ?? status}`;
      const ofAddress = `${cause} ${clientKey}`;
      const isApart = refusals.size < MAX_REFUSED || refusals.has(ofAddress);
      writeFailure(record, isApart ? ofAddress : cause);
    } else if (access === 'all') writeOwn(record);
    else if (record.isAborted || status >= 400)
      writeFailure(record, `${listener} ${route} ${code ?? status}`);
    else if (record.durationMs >= accessSlowMs)
      writeFailure(record, `${listener} ${route} slow`, 'slow requests');
    else if (random() * 100 < accessSamplePercent) writeOwn(record, accessSamplePercent);
  };
  return {
    debug: (message, fields = {}) => logger.debug(fields, message),
    info: (message, fields = {}) => logger.info(fields, message),
    warn: (message, fields = {}) => logger.warn(fields, message),
    error: (message, fields = {}) => logger.error(fields, message),
    fatal: (message, fields = {}) => logger.fatal(fields, message),
    audit: (fields) => atAnyLevel.info(fields, 'audit'),
    request(record) {
      if (!record.isLogged) return;
      if (record.status >= 500 && !isIntended(record.code)) {
        if (record.status === UNAVAILABLE) {
          tally.note(`${record.listener} ${record.code ?? record.route}`, (count) =>
            writeRefusals(logger, 'error', record, count),
          );
        } else logger.error({ ...requestMembers(record), err: record.error }, 'request');
      } else if (access !== 'off') writeAccess(record);
    },
    repeated(cause, message, fields = {}) {
      tally.note(cause, (count) => logger.warn({ ...fields, count }, message));
    },
    writeLines: (text) => void lines.write(text),
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
function writeRefusals(
  logger: Pick<Logger, 'info' | 'error'>,
  level: 'info' | 'error',
  record: RequestRecord,
  count: number,
  message: string = record.isAborted ? 'requests cut' : 'requests refused',
): void {
  const { listener, route, status, code, error } = record;
  const err = error === undefined ? undefined : new Refusal(error);
  if (count === 1) logger[level]({ ...requestMembers(record), count, err }, 'request');
  else logger[level]({ listener, route, status, code, count, err }, message);
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
