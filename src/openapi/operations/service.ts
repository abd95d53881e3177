import { basePathOf } from '../../config/values/public-address.ts';
import type { DocumentConfig, HeaderName, Json, PublicOperation } from '../operation.ts';
import { ADDRESS, objectOf, oneOfTexts, TEXT } from '../schemas.ts';

const TAG = 'Service';
const HTML = { 'text/html': { type: 'string' } } as const;
/** Headers of pages. */
export const PAGE_HEADERS: readonly HeaderName[] = [
  'Cache-Control',
  'Content-Security-Policy',
  'X-Frame-Options',
  'Referrer-Policy',
  'X-Robots-Tag',
];

/** Describes the service information of the listener, and the files of its pages. */
export function serviceOperations({ baseUrl }: DocumentConfig): PublicOperation[] {
  const base = basePathOf(baseUrl);
  const shared = { method: 'GET', tag: TAG, errorForm: 'signin', errors: [] } as const;
  const health = (...states: readonly string[]): Json => objectOf({ status: oneOfTexts(...states) });
  return [
    {
      ...shared,
      id: 'getHealth',
      paths: [...new Set(['/healthz', `${base}/healthz`])],
      summary: 'Ask whether the service can serve',
      isAlwaysServed: true,
      headers: ['Cache-Control'],
      success: {
        200: { description: 'It can.', content: { 'application/json': health('ok') } },
        503: {
          description: 'It cannot at the moment, or it is being stopped.',
          headers: ['Retry-After'],
          content: { 'application/json': health('unavailable') },
        },
      },
    },
    {
      ...shared,
      id: 'getService',
      hasHead: true,
      paths: [...new Set(['/', base === '' ? '/' : base, `${base}/`])],
      summary: 'Get what the service is: a page for a browser, JSON for a program',
      headers: [...PAGE_HEADERS, 'Cross-Origin-Opener-Policy', 'Vary', 'Content-Language'],
      success: {
        200: {
          description: 'What the service is.',
          content: {
            'application/json': objectOf(
              {
                service: { const: 'proofgate' },
                operator: TEXT,
                issuer: ADDRESS,
                openid_configuration: ADDRESS,
                service_documentation: ADDRESS,
                op_policy_uri: ADDRESS,
                op_tos_uri: ADDRESS,
              },
              ['issuer', 'openid_configuration', 'service_documentation', 'op_policy_uri', 'op_tos_uri'],
            ),
            ...HTML,
          },
        },
      },
    },
    {
      ...shared,
      id: 'getOpenApi',
      hasHead: true,
      paths: [`${base}/openapi.json`],
      summary: 'Get this document',
      headers: ['Cache-Control', 'Access-Control-Allow-Origin'],
      success: { 200: { description: 'The document.', content: { 'application/json': { type: 'object' } } } },
    },
    {
      ...shared,
      id: 'getDocs',
      hasHead: true,
      paths: [`${base}/docs`],
      summary: 'Get this document as a page',
      headers: [...PAGE_HEADERS, 'Cross-Origin-Opener-Policy'],
      success: { 200: { description: 'The page.', content: HTML } },
    },
    assetOperation('getDocsFile', `${base}/docs/assets/:name`),
    fileOperation('getFavicon', [...new Set(['/favicon.ico', `${base}/favicon.ico`])], 'Get the icon', [
      'image/x-icon',
    ]),
    assetOperation('getSignInFile', `${base}/signin/assets/:name`),
  ];
}

/** Describes the path of the files of pages. */
export function assetOperation(id: string, path: string): PublicOperation {
  return {
    ...fileOperation(id, [path], 'Get a file of a page', ['*/*']),
    parameters: [
      {
        name: 'name',
        in: 'path',
        required: true,
        schema: TEXT,
        example: 'sign-in.0000000000000000.css',
        description: 'Name of the file, which changes with its content.',
      },
    ],
    errors: ['http.not_found'],
  };
}

/** Describes files. */
export function fileOperation(
  id: string,
  paths: readonly string[],
  summary: string,
  mediaTypes: readonly string[],
): PublicOperation {
  return {
    id,
    method: 'GET',
    paths,
    hasHead: true,
    tag: TAG,
    summary,
    headers: ['Cache-Control', 'Content-Security-Policy', 'ETag'],
    success: {
      200: {
        description: 'The file.',
        content: Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, null])),
      },
    },
    errorForm: 'signin',
    errors: [],
  };
}
