import type { WasmArithmetic } from '../../engine/backends/backend.ts';
import { messageOf } from '../../text.ts';
import { ProofgateError } from '../facade/proofgate-error.ts';

/** A WASM module of the package: compiled, as bytes, as a response, or as the URL of its file. */
export type ModuleSource = WebAssembly.Module | Uint8Array | ArrayBuffer | Response | URL | string;

/** Source of the module: the module itself, or a function that receives the name of the requested one. */
export type ModuleOption =
  | ModuleSource
  | Promise<ModuleSource>
  | ((arithmetic: WasmArithmetic) => ModuleSource | Promise<ModuleSource>);

const WASM_TYPE = 'application/wasm';

/**
 * Compiles a module; a response of type `application/wasm` is compiled as it arrives. Bytes are copied before the first
 * await.
 *
 * @throws ProofgateError `engine.option` for a value of another type; `engine.backend_unavailable` if the file cannot
 *   be fetched or does not compile
 */
export async function compileModule(
  source: ModuleSource | Promise<ModuleSource>,
): Promise<WebAssembly.Module> {
  const value = isPromise(source) ? await source : source;
  // `instanceof` is not used: values may come from another realm, and a runtime may lack a class.
  switch (tagOf(value)) {
    case 'WebAssembly.Module':
      return value as WebAssembly.Module;
    case 'Response':
      return await compileResponse(value as Response);
    case 'String':
    case 'URL':
      return await compileResponse(await request(value as string | URL));
    case 'ArrayBuffer':
      return await compileBytes(new Uint8Array(value as ArrayBuffer));
    case 'Uint8Array':
      return await compileBytes(value as Uint8Array);
    default:
      throw new ProofgateError(
        'engine.option',
        'module: expected a compiled module, its bytes, a Response, or the URL of its file',
      );
  }
}

function isPromise(source: ModuleSource | Promise<ModuleSource>): source is Promise<ModuleSource> {
  return 'then' in Object(source);
}

function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}

async function request(url: string | URL): Promise<Response> {
  try {
    return await fetch(url);
  } catch (error) {
    throw unavailable(`${String(url)} cannot be fetched (${messageOf(error)})`, error);
  }
}

async function compileResponse(response: Response): Promise<WebAssembly.Module> {
  if (!response.ok) throw unavailable(`${response.url} answered ${response.status}`);
  const type = response.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== WASM_TYPE || !('compileStreaming' in WebAssembly))
    return await compileBytes(new Uint8Array(await response.arrayBuffer()));
  return await compiled(() => WebAssembly.compileStreaming(response));
}

function compileBytes(bytes: Uint8Array): Promise<WebAssembly.Module> {
  return compiled(() => WebAssembly.compile(bytes));
}

async function compiled(compile: () => Promise<WebAssembly.Module>): Promise<WebAssembly.Module> {
  try {
    return await compile();
  } catch (error) {
    throw unavailable(`the WASM module does not compile (${messageOf(error)})`, error);
  }
}

function unavailable(reason: string, cause?: unknown): ProofgateError {
  return new ProofgateError(
    'engine.backend_unavailable',
    `${reason}; the option "module" takes the module itself, its bytes or another URL`,
    { cause },
  );
}
