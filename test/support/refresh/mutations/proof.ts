import { becomes, type Mutation, same } from './mutation.ts';
import { pick, type RequestParts, shuffled } from './request-parts.ts';

const rewriteJson = (request: RequestParts, change: (json: string) => string | Uint8Array): RequestParts => ({
  ...request,
  writeJson: (members) => change(Buffer.from(request.writeJson(members)).toString()),
});
const editBase64 = (request: RequestParts, change: (base64: string) => string): RequestParts => ({
  ...request,
  encode: (json) => change(request.encode(json)),
});
const lines = (request: RequestParts, proofLines: RequestParts['proofLines']): RequestParts => ({
  ...request,
  proofLines,
});

/** Mutations of the encoding of the header `x-zkp-proof`. */
export const PROOF_MUTATIONS: readonly Mutation[] = [
  same('white space', (request, draw) =>
    rewriteJson(request, (json) =>
      json.replaceAll(/[{}:,]/g, (mark) => pick([mark, ` ${mark}`, `${mark}\n`, `\t${mark} `], draw)),
    ),
  ),
  same('escapes', (request, draw) =>
    rewriteJson(request, (json) =>
      json.replaceAll(/"[^"]*"/g, (text) =>
        text.replaceAll(/[a-z]/g, (c) =>
          draw(100) ? c : `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
        ),
      ),
    ),
  ),
  same('the URL-safe alphabet', (request) =>
    editBase64(request, (text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ),
  same('no padding', (request) => editBase64(request, (text) => text.replace(/=+$/, ''))),
  becomes('401 UNAUTHORIZED', 'no proof header', (request) => lines(request, () => [])),
  becomes('401 UNAUTHORIZED', 'an empty proof header', (request) => lines(request, () => ['x-zkp-proof:'])),
  becomes('401 UNAUTHORIZED', 'a repeated proof header', (request, draw) =>
    lines(request, (value) => {
      const second = pick([value, '', 'other'], draw);
      return shuffled([`x-zkp-proof: ${value}`, `X-ZKP-Proof: ${second}`], draw);
    }),
  ),
  becomes('401 UNAUTHORIZED', 'a proof header of more than 3,072 characters', (request, draw) =>
    pick(
      [
        rewriteJson(request, (json) => json.replace('{', `{${' '.repeat(2305)}`)),
        editBase64(request, (text) => text + 'A'.repeat(3073 - text.length)),
        editBase64(request, (text) => text.repeat(10)),
        editBase64(request, () => '='.repeat(9000)),
      ],
      draw,
    ),
  ),
  becomes('401 UNAUTHORIZED', 'a text that is not base64', (request, draw) => {
    const at = 1 + draw(700);
    const insert = (text: string) => (value: string) => value.slice(0, at) + text + value.slice(at);
    return editBase64(
      request,
      pick(
        [
          insert(pick([' ', '\t', '.', '*', '%', '=', '"', ',', '\xe9', '-_+/'], draw)),
          (value) => `${value}====`,
          (value) => `=${value}`,
          (value) => `Bearer ${value}`,
          (value) => encodeURIComponent(`${value}=`),
          (value) => Buffer.from(value, 'base64').toString('hex'),
          (value) => Buffer.from(value, 'base64').toString('latin1').replaceAll(/[\s]/g, ' '),
          (value) => value.slice(0, 4 * Math.floor(value.length / 4) - 3),
        ],
        draw,
      ),
    );
  }),
  becomes('401 UNAUTHORIZED', 'double base64', (request) =>
    editBase64(request, (value) => Buffer.from(value).toString('base64')),
  ),
  becomes(
    ['200', '401 UNAUTHORIZED', '401 INVALID_PROOF'],
    'a changed character of the base64',
    (request, draw) =>
      editBase64(request, (value) => {
        const at = draw(value.length);
        const other = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/='[draw(65)] ?? 'A';
        return value.slice(0, at) + other + value.slice(at + 1);
      }),
  ),
  becomes(['200', '401 UNAUTHORIZED', '401 INVALID_PROOF'], 'a flipped bit of the JSON', (request, draw) =>
    rewriteJson(request, (json) => {
      const bytes = Buffer.from(json);
      const at = draw(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << draw(8));
      return bytes;
    }),
  ),
  becomes('401 UNAUTHORIZED', 'base64 of another value', (request, draw) =>
    rewriteJson(request, (json) =>
      pick<string | Uint8Array>(
        [
          '',
          'null',
          '[]',
          '{}',
          '""',
          '1',
          'true',
          `[${json}]`,
          `{"a":${json}}`,
          JSON.stringify(json),
          `${json}${json}`,
          `${json},`,
          `${json}\0`,
          `\ufeff${json}`,
          json.slice(0, -1),
          json.slice(1),
          json.replaceAll('"', "'"),
          json.replace('{', '{,'),
          json.replace('}', ',}'),
          `/**/${json}`,
          '['.repeat(2000),
          '{"a":'.repeat(400),
          Buffer.from(json, 'utf16le').subarray(0, 2300),
          Buffer.concat([Buffer.from(json.slice(0, -1)), Buffer.of(0xff)]),
          Buffer.from(json.replace('}', ',"a":"\xff"}'), 'latin1'),
          json.replace('}', ',"a":"\\ud800"}'),
        ],
        draw,
      ),
    ),
  ),
];
