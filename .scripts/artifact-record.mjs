/**
 * Checks and writes the records of the committed artifacts: the WASM modules, and the addon for Linux on ARM64. A record
 * has the digests of the artifact's files and of the sources and the versions of the tools from which they were built.
 * Without Rust an artifact cannot be rebuilt, so the record is what distinguishes a stale or foreign one from the right
 * one. ARTIFACT is `wasm` or `arm64`.
 *
 *   node .scripts/artifact-record.mjs ARTIFACT check            exit 1 and a list when sources or artifact differ
 *   node .scripts/artifact-record.mjs ARTIFACT sources          one digest over all sources
 *   node .scripts/artifact-record.mjs ARTIFACT write TOOL=VERSION ...   writes record.json beside the artifact
 *   node .scripts/artifact-record.mjs ARTIFACT compare FOLDER TOOL=VERSION ...   exit 1 and a list when a rebuild in the
 *       folder differs from the record. Other tools than recorded make other machine code: the comparison of it is skipped
 *       by name, and only the types are compared; with CI=true, which .ci/lib.sh sets, that is a failure
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** `native/Cargo.toml` sets edition, version and profile of the crates. */
const CORE = { folders: ['native/core/src'], files: ['native/Cargo.toml', 'native/core/Cargo.toml'] };
/** Each artifact with everything that the compiler reads for it, and the scripts that change the result. */
const ARTIFACTS = {
  wasm: {
    command: 'npm run build:wasm',
    folder: 'wasm/artifact',
    // The JavaScript glue, its types, and the three modules that it instantiates.
    files: ['proofgate_wasm.d.ts', 'proofgate_wasm.js', 'relaxed.wasm', 'scalar.wasm', 'simd.wasm'],
    sourceFolders: [...CORE.folders, 'wasm/src'],
    sourceFiles: [...CORE.files, '.scripts/wasm-glue.mjs', 'wasm/Cargo.lock', 'wasm/Cargo.toml'],
  },
  arm64: {
    command: 'npm run build:arm64',
    folder: 'native/prebuilt',
    files: ['proofgate.linux-arm64-gnu.node'],
    sourceFolders: [...CORE.folders, 'native/addon/src'],
    sourceFiles: [...CORE.files, 'native/Cargo.lock', 'native/addon/Cargo.toml', 'native/addon/build.rs'],
  },
};
/** Matches test modules, which are not compiled into an artifact. */
const TEST_SOURCE = /(^|\/)(([a-z0-9_]+_)?tests\.rs|tests\/.*|test_[^/]*\.rs)$/;

const [artifactName, command, ...args] = process.argv.slice(2);
const artifact = ARTIFACTS[artifactName];
const record = `${artifact?.folder}/record.json`;

/** Returns the SHA-256 of a file of the repository, in hex. */
function sha256(path) {
  return createHash('sha256')
    .update(readFileSync(join(ROOT, path)))
    .digest('hex');
}

/** Lists the paths of the sources, sorted, with slashes. */
function sourcePaths() {
  const inFolders = artifact.sourceFolders
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/')),
    )
    .filter((path) => path.endsWith('.rs') && !TEST_SOURCE.test(path));
  return [...artifact.sourceFiles, ...inFolders].sort();
}

/** Returns the digest of each file by its path. */
function digests(paths) {
  return Object.fromEntries(paths.map((path) => [path, sha256(path)]));
}

/** Returns the digests of the present sources and artifact. */
function present() {
  const files = artifact.files
    .map((name) => `${artifact.folder}/${name}`)
    .filter((path) => existsSync(join(ROOT, path)));
  return { artifact: digests(files), sources: digests(sourcePaths()) };
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
  const path = join(ROOT, record);
  if (!existsSync(path)) return [`record missing: ${record}`];
  const recorded = JSON.parse(readFileSync(path, 'utf8'));
  const found = present();
  return [
    ...differences('source', recorded.sources, found.sources),
    ...differences('artifact', recorded.artifact, found.artifact),
  ];
}

function compare(folder, tools) {
  const recorded = JSON.parse(readFileSync(join(ROOT, record), 'utf8'));
  const others = Object.keys(tools).filter((name) => tools[name] !== recorded.tools[name]);
  const mustRun = process.env.CI === 'true';
  for (const name of others)
    console.log(
      `${mustRun ? 'failed' : 'skipped'}: comparison of the machine code of ${artifactName}: ${name} is ${tools[name]}, the record has ${recorded.tools[name]}`,
    );
  const compared = artifact.files.filter((name) => others.length === 0 || name.endsWith('.d.ts'));
  const differing = compared.filter((name) => {
    const digest = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
    return digest !== recorded.artifact[`${artifact.folder}/${name}`];
  });
  for (const name of differing) console.log(`the rebuild differs from the record: ${name}`);
  if (differing.length === 0 && compared.length > 0)
    console.log(`the rebuild equals the record: ${compared.join(', ')}`);
  return differing.length > 0 || (mustRun && others.length > 0) ? 1 : 0;
}

/** Parses `TOOL=VERSION` arguments; returns the versions by tool. */
function toolsOf(args) {
  return Object.fromEntries(
    args.map((arg) => [arg.slice(0, arg.indexOf('=')), arg.slice(arg.indexOf('=') + 1)]),
  );
}

function write(tools) {
  const content = { command: artifact.command, tools, ...present() };
  writeFileSync(join(ROOT, record), `${JSON.stringify(content, null, 2)}\n`);
}

if (artifact && command === 'check') {
  const lines = check();
  for (const line of lines) console.log(line);
  process.exitCode = lines.length === 0 ? 0 : 1;
} else if (artifact && command === 'sources') {
  console.log(createHash('sha256').update(JSON.stringify(present().sources)).digest('hex'));
} else if (artifact && command === 'write') {
  write(toolsOf(args));
} else if (artifact && command === 'compare') {
  const [folder, ...tools] = args;
  process.exitCode = compare(folder, toolsOf(tools));
} else {
  console.error(
    `usage: artifact-record.mjs ${Object.keys(ARTIFACTS).join('|')} check | sources | write TOOL=VERSION ... | compare FOLDER TOOL=VERSION ...`,
  );
  process.exitCode = 2;
}
