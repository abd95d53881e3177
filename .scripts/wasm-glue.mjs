/**
 * Rewrites the JavaScript that wasm-bindgen generates (`--target web`), and its types. The generated module holds one
 * instance in its global state, and finds the WASM file by `import.meta.url`, which bundlers try to resolve. The
 * rewritten one exports a single function `instantiate(module)`, which returns the functions of a new instance with
 * state of its own; it imports nothing and loads nothing, so it runs wherever WebAssembly does.
 *
 *   node .scripts/wasm-glue.mjs FOLDER      rewrites proofgate_wasm.js and proofgate_wasm.d.ts in the folder
 *
 * Fails if the generated files do not have the expected shape: another version of wasm-bindgen needs another look.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

/** State and functions that the exports use; each instance gets its own. */
const HELPERS = [
  ...[
    '__wbg_get_imports',
    'addHeapObject',
    'cachedDataViewMemory0',
    'cachedTextDecoder',
    'cachedTextEncoder',
  ],
  ...['cachedUint8ArrayMemory0', 'decodeText', 'dropObject', 'getArrayU8FromWasm0', 'getDataViewMemory0'],
  ...[
    'getObject',
    'getStringFromWasm0',
    'getUint8ArrayMemory0',
    'heap',
    'heap_next',
    'MAX_SAFARI_DECODE_BYTES',
  ],
  ...['numBytesDecoded', 'passArray8ToWasm0', 'passStringToWasm0', 'takeObject', 'WASM_VECTOR_LEN'],
];
/** The single instance and the ways to load it, which `instantiate` replaces. */
const REPLACED = [
  'wasmModule,wasmInstance,wasm',
  '__wbg_finalize_init',
  '__wbg_load',
  'initSync',
  '__wbg_init',
];
/** Statements that are not declarations, by their start. */
const STATEMENTS = [
  'heap.push(undefined, null, true, false);',
  'cachedTextDecoder.decode();',
  "if (!('encodeInto' in cachedTextEncoder)) {",
];
const FINALIZE =
  'function __wbg_finalize_init(instance, module) { wasmInstance = instance; wasm = instance.exports; ' +
  'wasmModule = module; cachedDataViewMemory0 = null; cachedUint8ArrayMemory0 = null; return wasm; }';
/** What the rewritten module must not contain. */
const FORBIDDEN = /\b(import|fetch|URL|require|globalThis|window|self|process|FinalizationRegistry)\b/;

function expectThat(holds, message) {
  if (!holds) throw new Error(`wasm-glue: ${message}; see the head of this file`);
}

function expectSame(found, expected, kind) {
  const [one, other] = [found, expected].map((names) => [...names].sort().join(' '));
  expectThat(one === other, `expected the ${kind} ${other}, got ${one}`);
}

const indented = (text) => text.replaceAll(/^(?=.)/gm, '    ');

/** Returns the names that a top-level declaration makes, or undefined for another statement. */
function namesOf(node) {
  if (node.type === 'FunctionDeclaration') return node.id.name;
  if (node.type === 'VariableDeclaration') return node.declarations.map(({ id }) => id.name).join();
  return undefined;
}

/** Rewrites the module; returns its text and the names of the functions of an instance. */
export function rewriteModule(source) {
  const kept = [];
  const exported = [];
  const helpers = [];
  const replaced = [];
  const statements = [];
  let end = 0;
  for (const node of parseAst(source).body) {
    // With the comment in front of it.
    const text = source.slice(end, node.end).replace(/^\/\* @ts-self-types.*\*\/$/m, '');
    end = node.end;
    const declaration = node.type === 'ExportNamedDeclaration' ? node.declaration : null;
    const name = namesOf(node);
    if (declaration?.type === 'FunctionDeclaration') {
      exported.push(declaration.id.name);
      kept.push(text.replace('export function', 'function'));
    } else if (node.type === 'ExportNamedDeclaration') {
      expectThat(
        source.slice(node.start, node.end) === 'export { initSync, __wbg_init as default };',
        `unexpected export: ${text.trim()}`,
      );
    } else if (REPLACED.includes(name)) {
      replaced.push(name);
      if (name === '__wbg_finalize_init')
        expectThat(
          text.trim().replaceAll(/\s+/g, ' ') === FINALIZE,
          'an instance is initialized differently',
        );
    } else {
      if (name !== undefined) helpers.push(name);
      else statements.push(STATEMENTS.find((start) => text.trim().startsWith(start)) ?? text.trim());
      kept.push(text);
    }
  }
  expectThat(source.slice(end).trim() === '', 'unexpected text at the end');
  expectSame(helpers, HELPERS, 'helpers');
  expectSame(replaced, REPLACED, 'loaders');
  expectSame(statements, STATEMENTS, 'statements');
  expectThat(exported.length > 0, 'no function is exported');
  const body = kept.join('').trim();
  const forbidden = FORBIDDEN.exec(body);
  expectThat(!forbidden, `the functions use ${forbidden?.[0]}`);
  const names = ['memory: wasm.memory', ...exported].map((name) => `        ${name},\n`).join('');
  const text = `/* @ts-self-types="./proofgate_wasm.d.ts" */

/**
 * Creates an instance of one of the modules, with memory and state of its own.
 * @param {WebAssembly.Module} module
 */
export function instantiate(module) {
${indented(body)}

    const wasm = new WebAssembly.Instance(module, __wbg_get_imports()).exports;
    return {
${names}    };
}
`;
  return { text, exported };
}

/** Rewrites the types of the functions with these names. */
export function rewriteTypes(source, exported) {
  const start = source.indexOf('/**');
  const end = source.indexOf('export type InitInput');
  expectThat(start >= 0 && end > start, 'the types have no functions');
  expectThat(
    source.slice(0, start).trim() === '/* tslint:disable */\n/* eslint-disable */',
    'unexpected start of the types',
  );
  const functions = source.slice(start, end);
  const members = [...functions.matchAll(/(\/\*\*\n(?: \*.*\n)+)export function (\w+)(\(.*\): \w+;)\n\s*/g)];
  expectThat(members.map(([text]) => text).join('') === functions, 'unexpected text among the types');
  expectSame(
    members.map(([, , name]) => name),
    exported,
    'types of',
  );
  const texts = members.map(([, comment, name, type]) => `${indented(`${comment}${name}${type}`)}\n`);
  return `/** An instance of one of the modules; its functions need no \`this\`. */
export interface ProofgateWasm {
    readonly memory: WebAssembly.Memory;
${texts.join('')}}

/** Creates an instance of one of the modules, with memory and state of its own. */
export function instantiate(module: WebAssembly.Module): ProofgateWasm;
`;
}

if (process.argv[1] === import.meta.filename) {
  const [glue, types] = ['proofgate_wasm.js', 'proofgate_wasm.d.ts'].map((name) =>
    join(process.argv[2] ?? '', name),
  );
  const { text, exported } = rewriteModule(readFileSync(glue, 'utf8'));
  writeFileSync(glue, text);
  writeFileSync(types, rewriteTypes(readFileSync(types, 'utf8'), exported));
}
