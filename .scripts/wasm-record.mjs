/**
 * Checks and writes the record of the committed WASM artifact: its bytes, and the sources and tools from
 * which it was built. Without Rust it cannot be rebuilt, so the record is what distinguishes a stale or
 * foreign artifact from the right one.
 *
 *   node .scripts/wasm-record.mjs check            exit 1 and a list when sources or artifact differ
 *   node .scripts/wasm-record.mjs sources          one digest over all sources
 *   node .scripts/wasm-record.mjs write TOOL=VERSION ...   writes wasm/artifact/record.json
 *   node .scripts/wasm-record.mjs compare FOLDER TOOL=VERSION ...   exit 1 and a list when a rebuild in the folder
 *       differs from the record; with other tools than recorded the modules differ, so only the types are compared
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ARTIFACT = 'wasm/artifact';
const RECORD = `${ARTIFACT}/record.json`;
/** The JavaScript glue, its types, and the three modules that it loads. */
const ARTIFACT_FILES = [
  'proofgate_wasm.d.ts',
  'proofgate_wasm.js',
  'relaxed.wasm',
  'scalar.wasm',
  'simd.wasm',
];
/** Everything that the compiler reads; `native/Cargo.toml` sets edition and version of the core crate. */
const SOURCE_FOLDERS = ['native/core/src', 'wasm/src'];
const SOURCE_FILES = ['native/Cargo.toml', 'native/core/Cargo.toml', 'wasm/Cargo.lock', 'wasm/Cargo.toml'];
/** Matches test modules, which are not compiled into the artifact. */
const TEST_SOURCE = /(^|\/)(([a-z0-9_]+_)?tests\.rs|tests\/.*|test_[^/]*\.rs)$/;

/** Returns the SHA-256 of a file of the repository, in hex. */
function sha256(path) {
  return createHash('sha256')
    .update(readFileSync(join(ROOT, path)))
    .digest('hex');
}

/** Lists the paths of the sources, sorted, with slashes. */
function sourcePaths() {
  const inFolders = SOURCE_FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/')),
  ).filter((path) => path.endsWith('.rs') && !TEST_SOURCE.test(path));
  return [...SOURCE_FILES, ...inFolders].sort();
}

/** Returns the digest of each file by its path. */
function digests(paths) {
  return Object.fromEntries(paths.map((path) => [path, sha256(path)]));
}

/** Returns the digests of the present sources and artifact. */
function present() {
  const artifact = ARTIFACT_FILES.map((name) => `${ARTIFACT}/${name}`).filter((path) =>
    existsSync(join(ROOT, path)),
  );
  return { artifact: digests(artifact), sources: digests(sourcePaths()) };
}

/** Returns one line for each path whose digest differs between the two tables. */
function differences(kind, recorded, found) {
  const paths = [...new Set([...Object.keys(recorded), ...Object.keys(found)])].sort();
  return paths
    .filter((path) => recorded[path] !== found[path])
    .map((path) => {
      if (recorded[path] === undefined) return `${kind} added: ${path}`;
      return `${kind} ${found[path] === undefined ? 'missing' : 'changed'}: ${path}`;
    });
}

function check() {
  const path = join(ROOT, RECORD);
  if (!existsSync(path)) return [`record missing: ${RECORD}`];
  const recorded = JSON.parse(readFileSync(path, 'utf8'));
  const found = present();
  return [
    ...differences('source', recorded.sources, found.sources),
    ...differences('artifact', recorded.artifact, found.artifact),
  ];
}

function compare(folder, tools) {
  const recorded = JSON.parse(readFileSync(join(ROOT, RECORD), 'utf8'));
  const others = Object.keys(tools).filter((name) => tools[name] !== recorded.tools[name]);
  for (const name of others)
    console.log(
      `${name} is ${tools[name]}, the record has ${recorded.tools[name]}: modules are not compared`,
    );
  const compared = ARTIFACT_FILES.filter((name) => others.length === 0 || name.endsWith('.d.ts'));
  const differing = compared.filter((name) => {
    const digest = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
    return digest !== recorded.artifact[`${ARTIFACT}/${name}`];
  });
  for (const name of differing) console.log(`the rebuild differs from the record: ${name}`);
  if (differing.length === 0) console.log(`the rebuild equals the record: ${compared.join(', ')}`);
  return differing.length === 0 ? 0 : 1;
}

/** Parses `TOOL=VERSION` arguments; returns the versions by tool. */
function toolsOf(args) {
  return Object.fromEntries(
    args.map((arg) => [arg.slice(0, arg.indexOf('=')), arg.slice(arg.indexOf('=') + 1)]),
  );
}

function write(tools) {
  const record = { command: 'npm run build:wasm', tools, ...present() };
  writeFileSync(join(ROOT, RECORD), `${JSON.stringify(record, null, 2)}\n`);
}

const [command, ...args] = process.argv.slice(2);
if (command === 'check') {
  const lines = check();
  for (const line of lines) console.log(line);
  process.exitCode = lines.length === 0 ? 0 : 1;
} else if (command === 'sources') {
  console.log(createHash('sha256').update(JSON.stringify(present().sources)).digest('hex'));
} else if (command === 'write') {
  write(toolsOf(args));
} else if (command === 'compare') {
  const [folder, ...tools] = args;
  process.exitCode = compare(folder, toolsOf(tools));
} else {
  console.error(
    'usage: wasm-record.mjs check | sources | write TOOL=VERSION ... | compare FOLDER TOOL=VERSION ...',
  );
  process.exitCode = 2;
}
