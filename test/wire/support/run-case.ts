import { createHash } from 'node:crypto';
import { describeExposition } from './exposition.ts';
import type { RecordedAnswer } from './recording.ts';
import { applyRules } from './rules.ts';
import type { Services } from './services.ts';
import type { Variables } from './variables.ts';
import type { WireCase, WireRequest } from './wire-case.ts';
import { exchange, type WireAnswer } from './wire-client.ts';

/** Longest body that is compared as text; longer ones are compared by their digest. */
const MAX_TEXT_BYTES = 32_768;
/** Polls until a background check of a sign-in has ended; only one that hangs takes more. */
const MAX_POLLS = 30_000;
const POLL_PAUSE_MS = 5;
const REQUEST_ID = /^X-Request-Id: ([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/;

/** Sends a request and describes its answer in the form of the recording. */
export async function runCase(services: Services, each: WireCase): Promise<RecordedAnswer> {
  const { variables } = services;
  if (each.advanceSeconds !== undefined) services.advance(each.advanceSeconds);
  await each.prepare?.(services);
  const { port, probe } = services.addressOf(each.listener ?? 'open');
  const request = bytesOf(each.request, variables);
  const { endsWriting } = each.request;
  let answer = await exchange(port, request, probe, endsWriting);
  for (let polls = 1; each.until !== undefined && !answer.body.includes(each.until); polls += 1) {
    if (polls === MAX_POLLS)
      throw new Error(`expected an answer that contains ${each.until}, got ${answer.body}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_PAUSE_MS));
    answer = await exchange(port, request, probe, endsWriting);
  }
  capture(each, answer, variables);
  if (each.versionIn !== undefined) checkVersion(variables.get(each.versionIn), answer);
  return describeAnswer(each, answer, variables);
}

const VERSION_DIGITS = 16;

function checkVersion(address: string, { body }: WireAnswer): void {
  const version = sha256(body).slice(0, VERSION_DIGITS);
  if (!address.includes(`.${version}.`))
    throw new Error(`expected ${address} to contain its digest ${version}`);
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function bytesOf({ line, headers = [], body, bytes }: WireRequest, variables: Variables): Buffer {
  // Latin-1, so that every byte can be expressed
  if (bytes !== undefined) return Buffer.from(variables.fill(bytes), 'latin1');
  const content = typeof body === 'string' ? Buffer.from(variables.fill(body)) : Buffer.from(body ?? '');
  const hasLength = headers.some((text) => /^(?:content-length|transfer-encoding):/i.test(text));
  const length = body === undefined || hasLength ? [] : [`Content-Length: ${content.length}`];
  const head = [`${line} HTTP/1.1`, 'Host: localhost:8080', ...headers, ...length, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(variables.fill(head), 'latin1'), content]);
}

function capture({ capture: wanted = {}, title }: WireCase, answer: WireAnswer, variables: Variables): void {
  const text = [answer.statusLine, ...answer.headers, '', answer.body.toString()].join('\n');
  for (const [name, pattern] of Object.entries(wanted)) {
    const value = pattern.exec(text)?.[1];
    if (value === undefined) throw new Error(`${title}: expected ${name} in\n${text}`);
    variables.set(name, value);
  }
}

function describeAnswer(each: WireCase, answer: WireAnswer, variables: Variables): RecordedAnswer {
  const requestId = answer.headers.map((line) => REQUEST_ID.exec(line)?.[1]).find((id) => id !== undefined);
  // If the request did not send this id, the service generated it; it is replaced wherever it is repeated.
  const isNewId = requestId !== undefined && !each.request.headers?.some((line) => line.includes(requestId));
  const hide = (text: string): string => {
    const hidden = variables.hide(text, Object.keys(each.capture ?? {}));
    return isNewId ? hidden.replaceAll(requestId, '<request-id>') : hidden;
  };
  const context = { status: answer.statusLine.split(' ')[1] ?? '', hide };
  const { title, request } = each;
  return {
    title,
    request: printable(request.bytes?.split('\r\n')[0] ?? request.line),
    status: answer.statusLine,
    headers: headersOf(each, answer).map((line) => applyRules('header', hide(line), context)),
    body: bodyOf(each, answer, (text) =>
      applyRules('body', hide(each.rewrite?.(text, variables) ?? text), context),
    ),
    connection: answer.connection,
  };
}

const KEPT = /^(?:Connection: keep-alive|Keep-Alive: timeout=\d+)$/;

/**
 * Checks the Content-Length of a body of varying length against the body, and does not compare it. Whether a connection is
 * kept is compared as such; that the answer announces it is checked here.
 */
function headersOf({ isExposition, versionIn, request }: WireCase, answer: WireAnswer): string[] {
  const { body, connection } = answer;
  const isHeadOfBuild = BUILD.test(request.line) && request.line.startsWith('HEAD ');
  const headers = answer.headers.filter((line) => !KEPT.test(line));
  if ((connection === 'kept') !== (answer.headers.length === headers.length + 2))
    throw new Error(
      `expected the time of a connection that is ${connection}, got\n${answer.headers.join('\n')}`,
    );
  return headers.map((line) => {
    const length = /^Content-Length: (\d+)$/.exec(line)?.[1];
    if (length !== undefined && isHeadOfBuild) return 'Content-Length: <body-length>';
    const isVarying = isExposition || isBuild(versionIn) || hasVaryingLength(body);
    if (length === undefined || !isVarying || body.length === 0) return line;
    if (Number(length) !== body.length) throw new Error(`expected ${line}, got ${body.length} bytes`);
    return 'Content-Length: <body-length>';
  });
}

/** Files that a build generates: they change with their sources, so only their name is compared. */
const BUILD = /\.(?:js|wasm)\b/;

function isBuild(name: string | undefined): boolean {
  return name !== undefined && BUILD.test(name);
}

const VARYING = /id="qr-drawing"|[?&#;]k=[A-Za-z0-9%]+&|"ageMs":|id="wait-left"|"credential":"/;

function hasVaryingLength(body: Buffer): boolean {
  return VARYING.test(body.toString());
}

function bodyOf(each: WireCase, { body }: WireAnswer, normalise: (text: string) => string): string[] {
  if (isBuild(each.versionIn)) return ['<file named by its digest>'];
  const text = body.toString();
  if (each.isExposition) return describeExposition(text);
  const isText = Buffer.from(text).equals(body) && body.length <= MAX_TEXT_BYTES && !text.includes('\0');
  if (isText && !each.isDigested) return normalise(text).split('\n');
  return [`<${body.length} bytes, sha256 ${sha256(body)}>`];
}

const MAX_LINE_CHARACTERS = 200;

function printable(line: string): string {
  const text = line.replace(
    /[^\x20-\x7e]/g,
    (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  return text.length > MAX_LINE_CHARACTERS ? `${text.slice(0, MAX_LINE_CHARACTERS)}…` : text;
}
