/** Files that pages load: their headers, and their bytes by digest. */
import { signIn } from './sign-in-steps.ts';
import { at, get, type WireCase } from './wire-case.ts';

const HTML = 'Accept: text/html';

/** Reads the addresses of files from a page into variables with the names of the files. */
function find(page: WireCase, names: readonly string[]): WireCase {
  const capture = Object.fromEntries(
    names.map((name) => {
      const dot = name.lastIndexOf('.');
      const file = `${name.slice(0, dot)}\\.[0-9a-f]{16}${name.slice(dot).replace('.', '\\.')}`;
      return [name, new RegExp(`((?:/[a-z]+)*/assets/${file})`)];
    }),
  );
  return { ...page, capture, title: `names ${names.join(', ')}` };
}

/** Loads files whose addresses are known. */
function load(names: readonly string[]): WireCase[] {
  return names.flatMap((name): WireCase[] => [
    { ...get(`gives ${name}`, `{{${name}}}`), isDigested: true, versionIn: name },
    { title: `gives the head of ${name}`, request: { line: `HEAD {{${name}}}` } },
  ]);
}

const signInPage = signIn('page with files');

const SITE = ['sign-in.css', 'favicon.svg'];
const DEMO = ['demo-page.js', 'demo.css'];
const CALLBACK = ['demo-callback.js'];
const WALLET = ['wallet-page.js', 'wallet.css', 'wallet-worker.js', 'proofgate.wasm'];
const SIGN_IN = ['sign-in-page.js'];
const WAIT = ['wait-page.js'];
const SNARKJS = '/wallet/snarkjs.min.js';
const digested = (each: WireCase): WireCase => ({ ...each, isDigested: true });

/** Cases of files. */
export const STATIC_CASES: readonly WireCase[] = [
  find(get('', '/', [HTML]), SITE),
  find(get('', '/demo'), DEMO),
  find(get('', '/demo/callback'), CALLBACK),
  find(get('', '/wallet'), WALLET),
  signInPage.begin(),
  find(signInPage.look(''), SIGN_IN),
  ...load([...SITE, ...DEMO, ...CALLBACK, ...WALLET, ...SIGN_IN]),
  ...at('limited', load(WAIT)),
  get('has no other version of a file', '/signin/assets/sign-in.0000000000000000.css', [HTML]),
  get('has no file without a version', '/signin/assets/sign-in.css'),
  get('has no file of another folder', '/signin/assets/..%2f..%2fpackage.json'),
  { title: 'refuses POST of a file', request: { line: 'POST {{sign-in.css}}', body: '' } },
  { title: 'answers to OPTIONS of a file', request: { line: 'OPTIONS {{sign-in.css}}' } },
  digested(get('gives the icon', '/favicon.ico')),
  { title: 'gives the head of the icon', request: { line: 'HEAD /favicon.ico' } },
  {
    ...digested(get('gives snarkjs', SNARKJS)),
    capture: { 'snarkjs tag': /^ETag: ("[0-9a-f]+-[0-9a-f]+")$/m },
  },
  get('gives snarkjs once', SNARKJS, ['If-None-Match: {{snarkjs tag}}']),
  { title: 'gives the head of snarkjs', request: { line: `HEAD ${SNARKJS}` } },
  ...at('production', [
    {
      ...find(get('', '/auth/', [HTML]), ['sign-in.css']),
      title: 'names the style with the accent of the operator',
    },
    digested(get('gives the style with the accent of the operator', '{{sign-in.css}}')),
    digested(get('gives the icon at the root in production', '/favicon.ico')),
    digested(get('gives the icon below the path in production', '/auth/favicon.ico')),
    get('has no snarkjs in production', '/auth/wallet/snarkjs.min.js'),
  ]),
];
