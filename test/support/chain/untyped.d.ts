/** Types of the parts that tests use of packages without types. */
declare module 'solc' {
  /** The compiler of Solidity. */
  const solc: {
    /** Compiles a JSON text (standard JSON input) to another. */
    compile(input: string): string;
  };
  export = solc;
}
