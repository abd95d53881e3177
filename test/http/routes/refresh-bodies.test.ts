import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { encryptedUserId, parseIdComm, parseSub } from '../../../src/refresh/request/parse-fields.ts';
import { PACKAGE_PARTS, parseForm, type RefreshForm } from '../../../src/refresh/request/parse-form.ts';
import { clientForms, type Field } from '../../refresh/request/support/clients.ts';
import { BOUNDARY, type Form, form, MALFORMED, part, SUB_PART } from '../../refresh/request/support/forms.ts';
import { ISSUED, jsonOf, openRoutes, refused } from '../../refresh/request/support/routes.ts';
import { RUNS_ALL } from '../../support/cases.ts';
import { RawClient, type RawResponse, rawRequest, requestText } from '../../support/server/raw-client.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const TARGET = '/api/v1/refresh?idComm=0x1a';
const SUB = '0x1a2b3c';
const ALL_BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

/** Every part of a request with a package: texts that begin with line breaks, files of arbitrary bytes. */
const FIELDS: readonly Field[] = [
  { name: 'sub', value: Buffer.from(SUB), isFile: false },
  { name: 'encrypted_user_id', value: Buffer.from('é \ufeff'), isFile: false },
  ...PACKAGE_PARTS.map((name): Field => {
    const isFile = name.startsWith('hashes.');
    const share = Buffer.alloc(102_000, `${name}\r\n--`);
    const value = isFile ? Buffer.concat([ALL_BYTES, ALL_BYTES]) : Buffer.from(`\r\n${name}: é\r\n\r\n--`);
    return {
      name,
      value: name === 'hashes.sign' ? ALL_BYTES.subarray(176) : name.startsWith('iris') ? share : value,
      isFile,
    };
  }),
];

interface Parser {
  readonly port: number;
  /** Accepted forms, in order. */
  readonly forms: RefreshForm[];
  /** Drops everything that the test keeps of requests. */
  forget(): void;
}

/**
 * The routes over the parsers of the service: checks 1 to 6 (spec/refresh.md#order-of-checks), then a
 * credential.
 */
async function openParser(): Promise<Parser> {
  const forms: RefreshForm[] = [];
  const { port, calls } = await openRoutes({
    bodyLimitBytes: 1_048_576,
    async refresh({ contentType, body, query }) {
      try {
        const parsed = await parseForm(contentType, body);
        encryptedUserId(parsed);
        parseSub(parsed);
        parseIdComm(query);
        forms.push(parsed);
        return ISSUED;
      } catch (error) {
        return refused(error);
      }
    },
  });
  const forget = (): void => {
    forms.length = 0;
    calls.length = 0;
  };
  return { port, forms, forget };
}

function requestOf({ contentType, body }: Form): Buffer {
  const headers = [`Content-Type: ${contentType}`, `Content-Length: ${body.length}`];
  return Buffer.concat([Buffer.from(requestText(`POST ${TARGET}`, headers), 'latin1'), body]);
}

const send = (port: number, made: Form): Promise<RawResponse> => rawRequest(port, requestOf(made));

function expectFields(made: RefreshForm | undefined): void {
  expect([...(made?.parts.keys() ?? [])].sort()).toEqual(FIELDS.map(({ name }) => name).sort());
  const parts = new Map<string, Uint8Array>(made?.parts);
  for (const { name, value } of FIELDS) {
    expect([name, Buffer.compare(parts.get(name) ?? Buffer.alloc(0), value)]).toEqual([name, 0]);
  }
}

describe('a form over a socket', () => {
  it.each(MALFORMED)(
    'is answered with 400 INVALID_REQUEST for %s, and the next request of the connection is served',
    async (_name, made) => {
      const { port } = await openParser();
      const client = await RawClient.open(port);
      onTestFinished(() => client.destroy());
      client.send(requestOf(made));
      const answer = await client.response();
      expect([answer.status, jsonOf(answer)]).toEqual([
        400,
        { success: false, error: 'INVALID_REQUEST', message: expect.any(String) },
      ]);
      client.send(requestOf(form([SUB_PART])));
      expect((await client.response()).status).toBe(200);
    },
  );

  it.each(clientForms(FIELDS))(
    'keeps the exact bytes of each part as %s writes it',
    async (_client, made) => {
      const { port, forms } = await openParser();
      const answer = await send(port, made);
      expect([answer.status, answer.body.toString()]).toMatchObject([
        200,
        expect.stringContaining('credential'),
      ]);
      expectFields(forms[0]);
    },
  );

  it('keeps the exact bytes of each part as fetch writes it', async () => {
    const { port, forms } = await openParser();
    const data = new FormData();
    // fetch changes the line breaks of a field, but not those of a file
    for (const { name, value } of FIELDS)
      data.append(name, new Blob([Uint8Array.from(value)]), 'a "quoted" näme.txt');
    const response = await fetch(`http://127.0.0.1:${port}${TARGET}`, { method: 'POST', body: data });
    expect(response.status).toBe(200);
    expectFields(forms[0]);
  });

  it('may arrive in single bytes', async () => {
    const { port, forms } = await openParser();
    const client = await RawClient.open(port);
    onTestFinished(() => client.destroy());
    const made = form([SUB_PART, part('hashes.json', ALL_BYTES), part('signup_id', '\r\n--')]);
    const request = requestOf(made).toString('latin1');
    // uWebSockets.js answers 505 when a packet ends inside the version of the request line (server.test.ts)
    const lineEnd = request.indexOf('\r\n') + 2;
    client.send(request.slice(0, lineEnd));
    await client.sendSlowly(request.slice(lineEnd));
    expect((await client.response()).status).toBe(200);
    expect(Buffer.from(forms[0]?.parts.get('hashes.json') ?? [])).toEqual(ALL_BYTES);
    expect(Buffer.from(forms[0]?.parts.get('signup_id') ?? []).toString()).toBe('\r\n--');
  });

  it('may arrive in chunks of any length', async () => {
    const { port, forms } = await openParser();
    const { contentType, body } = clientForms(FIELDS)[0]?.[1] ?? form([]);
    const chunks: Buffer[] = [];
    for (let at = 0, length = 1; at < body.length; at += length, length = 1 + ((length * 7 + 3) % 9973)) {
      const chunk = body.subarray(at, at + length);
      chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
    }
    const head = requestText(`POST ${TARGET}`, [
      `Content-Type: ${contentType}`,
      'Transfer-Encoding: chunked',
    ]);
    const answer = await rawRequest(
      port,
      Buffer.concat([Buffer.from(head), ...chunks, Buffer.from('0\r\n\r\n')]),
    );
    expect(answer.status).toBe(200);
    expectFields(forms[0]);
  });

  it('gets no answer when the client disconnects in the middle of it', async () => {
    const { port, forms } = await openParser();
    const client = await RawClient.open(port);
    client.send(requestOf(form([SUB_PART])).subarray(0, -1));
    client.destroy();
    expect((await send(port, form([SUB_PART]))).status).toBe(200);
    expect(forms).toHaveLength(1);
  });
});

const hasCurl = spawnSync('curl', ['--version']).status === 0;

describe.skipIf(!hasCurl)(`a form of curl${hasCurl ? '' : ' (skipped: curl is not installed)'}`, () => {
  it('keeps the exact bytes of each part, sent as a value, as a file, and as a value read from a file', async () => {
    const { port, forms } = await openParser();
    const folder = temporaryFolder('curl', onTestFinished);
    const fields = FIELDS.flatMap(({ name, value, isFile }) => {
      writeFileSync(join(folder, name), value);
      return ['-F', isFile ? `${name}=@${name}` : name === 'sub' ? `sub=${SUB}` : `${name}=<${name}`];
    });
    const child = spawn('curl', ['-sS', '-i', ...fields, `http://127.0.0.1:${port}${TARGET}`], {
      cwd: folder,
    });
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect([errors, output]).toEqual(['', expect.stringContaining('"success":true')]);
    expectFields(forms[0]);
  });
});

if (RUNS_ALL) {
  describe('many forms', () => {
    it('leak no memory: 1,000 of 150 KB, valid and malformed', async () => {
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc') as () => void;
      const used = async (): Promise<number> => {
        // memory outside the heap is released on other threads: repeat until nothing more is
        for (let least = Number.POSITIVE_INFINITY; ; ) {
          collect();
          await new Promise((resolve) => setImmediate(resolve));
          const { heapUsed, external } = process.memoryUsage();
          if (heapUsed + external >= least) return least;
          least = heapUsed + external;
        }
      };
      const { port, forget } = await openParser();
      const whole = form([
        SUB_PART,
        part('iris_code_shares_0', Buffer.alloc(110_000, 'share')),
        part('x', Buffer.alloc(40_000)),
      ]);
      const cut: Form = { ...whole, body: whole.body.subarray(0, -6) };
      const twice = form([SUB_PART, part('iris_code_shares_0', Buffer.alloc(110_000)), SUB_PART]);
      const kinds = [
        whole,
        cut,
        twice,
        { ...whole, contentType: `multipart/form-data; boundary=${BOUNDARY}x` },
      ];
      const run = async (count: number): Promise<void> => {
        for (let i = 0; i < count; i++) {
          const made = kinds[i % kinds.length] ?? whole;
          expect((await send(port, made)).status).toBe(made === whole ? 200 : 400);
          forget();
        }
      };
      await run(100);
      const before = await used();
      await run(1000);
      const grownBytes = (await used()) - before;
      // 150 MB passed through; less than the size of a few bodies may remain
      expect(grownBytes).toBeLessThan(8 * 1024 * 1024);
    });
  });
}
