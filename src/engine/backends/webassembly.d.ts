/**
 * The parts of the WebAssembly interface that the engine uses; the types of Node do not declare them in all versions.
 */
declare namespace WebAssembly {
  interface Memory {
    readonly buffer: ArrayBufferLike;
  }
  // biome-ignore lint/suspicious/noEmptyInterface: a compiled module has no members, and other type files merge with it
  interface Module {}
  const Module: new (bytes: Uint8Array) => Module;
  interface Instance {
    readonly exports: Readonly<Record<string, unknown>>;
  }
  const Instance: new (module: Module) => Instance;
  const RuntimeError: ErrorConstructor;
  function compile(bytes: Uint8Array): Promise<Module>;
  function compileStreaming(response: Response): Promise<Module>;
  function validate(bytes: Uint8Array): boolean;
}
