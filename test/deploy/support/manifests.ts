/** Reads the files of .deploy: YAML, the environment variables that they set, and the tools that check them. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';

/** Root of the repository. */
export const REPOSITORY: string = fileURLToPath(new URL('../../../', import.meta.url));
/** Folder of the deployment files. */
export const DEPLOY: string = join(REPOSITORY, '.deploy');
/** Where `.ci/deploy-tools.sh` installs what it can. */
const TOOLS = join(REPOSITORY, '.cache', 'deploy-tools');

/** A value of a YAML document. */
export type Node = string | number | boolean | null | readonly Node[] | { readonly [key: string]: Node };
/** An object of a YAML document. */
export type Fields = { readonly [key: string]: Node };

/** Text of a file of .deploy. */
export function textOf(path: string): string {
  return readFileSync(join(DEPLOY, path), 'utf8');
}

/**
 * Parses a text that may hold several documents, by the rules of YAML 1.1, as kubectl does.
 *
 * @throws the first error or warning of the parser
 */
export function parseYaml(text: string): Fields[] {
  return parseAllDocuments(text, { version: '1.1', merge: true }).map((document) => {
    const fault = document.errors[0] ?? document.warnings[0];
    if (fault !== undefined) throw fault;
    return document.toJS() as Fields;
  });
}

/** Returns the member of nested objects and arrays; throws if one is missing. */
export function at(value: Node | undefined, ...path: readonly (string | number)[]): Node {
  let found: Node | undefined = value;
  for (const part of path) {
    const container = found as { readonly [key: string]: Node } | null | undefined;
    found = container?.[String(part)];
    if (found === undefined) throw new Error(`no ${path.join('.')} (stopped at ${part})`);
  }
  return found as Node;
}

/** Returns the member of nested objects as an object. */
export function fieldsAt(value: Node | undefined, ...path: readonly (string | number)[]): Fields {
  return at(value, ...path) as Fields;
}

/** Documents of a folder of manifests, by kind and name, e.g. `Service/proofgate-admin`. */
export function manifestsOf(folder: string): ReadonlyMap<string, Fields> {
  const names = readdirSync(join(DEPLOY, folder)).filter((name) => name.endsWith('.yaml'));
  const texts = names.map((name) => textOf(join(folder, name)));
  return byName(texts.flatMap(parseYaml));
}

/** Indexes manifests by kind and name. */
export function byName(documents: readonly Fields[]): ReadonlyMap<string, Fields> {
  return new Map(
    documents.map((each) => [`${String(each.kind)}/${String(at(each, 'metadata', 'name'))}`, each]),
  );
}

/** Runs a program; returns its exit code and both streams. */
export function run(
  program: string,
  args: readonly string[],
  input = '',
): { code: number | null; output: string } {
  const env = { ...process.env, PYTHONPATH: join(TOOLS, 'python') };
  const { status, stdout, stderr, error } = spawnSync(program, args, { input, encoding: 'utf8', env });
  return { code: status, output: error === undefined ? stdout + stderr : String(error) };
}

/** Path of a tool: from the folder of the tools, or on the path; undefined if it is not installed. */
export function toolOf(name: string): string | undefined {
  const folders = [join(TOOLS, 'python', 'bin'), ...(process.env.PATH ?? '').split(delimiter)];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Whether Python finds a module. */
export function hasPythonModule(name: string): boolean {
  try {
    return run('python3', ['-c', `import ${name}`]).code === 0;
  } catch {
    return false;
  }
}

/** Version of the package. */
export const VERSION: string = (
  JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as { readonly version: string }
).version;

/** The memory flags of `npm start`. */
export const NODE_FLAGS: readonly string[] =
  (
    JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>;
    }
  ).scripts.start?.match(/--[\w=-]+/g) ?? [];

/** Files of .deploy, without secrets that a demo has made. */
export function deployFiles(): string[] {
  return readdirSync(DEPLOY, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(DEPLOY, join(entry.parentPath, entry.name)))
    .filter((path) => !path.startsWith('compose/secrets/'));
}
