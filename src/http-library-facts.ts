/** The library that serves HTTP in this process, for log, metrics and `doctor`. */
export interface LibraryFacts {
  readonly kind: 'uws' | 'node';
  /** Name of the npm package, or `node:http`. */
  readonly package: string;
  /** Version of the package, or of Node. */
  readonly version: string;
  /** Its binary; undefined for Node. */
  readonly file: string | undefined;
  /** What the package says that it was made from: a commit or a repository; undefined for Node. */
  readonly source: string | undefined;
  /** What ruled out the packages that come before it, one per package. */
  readonly passedOver: readonly string[];
}
