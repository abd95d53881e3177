import { SETTINGS } from '../../../config/settings/schema.ts';
import type { Setting } from '../../../config/settings/setting.ts';
import type { Command, CommandOption } from '../../program/command.ts';
import { describeGroup } from '../../program/groups.ts';

/** Values that an option or argument takes. */
export type Values = 'none' | 'files' | 'anything' | readonly string[];

/** An option as a shell completes it. */
export interface CompletedOption {
  /** `--app-id`, with both dashes. */
  readonly name: string;
  readonly values: Values;
  readonly description: string;
}

/** A word that may follow the words of a group. */
export interface NextWord {
  readonly word: string;
  readonly description: string;
}

/** Completions after the words of a command line. */
export interface CompletedPath {
  /** The words so far, separated by spaces; empty at the start. */
  readonly path: string;
  /** Commands and groups that may follow; empty for a command. */
  readonly next: readonly NextWord[];
  /** Options of a command, without those of every command. */
  readonly options: readonly CompletedOption[];
  /** Values of its first argument; undefined for a command without arguments, and for a group. */
  readonly argument: Values | undefined;
}

/** Everything that a shell can complete. */
export interface Completion {
  readonly paths: readonly CompletedPath[];
  /** Options of every command. */
  readonly common: readonly CompletedOption[];
}

const FILE_NAMES = ['file', 'dir'];

/** Lists everything that a shell can complete, by the words that have been typed. */
export function completionOf(commands: readonly Command[]): Completion {
  const prefixes = commands.flatMap(({ path }) => path.map((_, depth) => path.slice(0, depth).join(' ')));
  const groups = [...new Set(prefixes)].map((path) => ({
    path,
    options: [],
    argument: undefined,
    next: nextWords(path, commands),
  }));
  const leaves = commands.map((command) => ({
    path: command.path.join(' '),
    next: [],
    options: (command.options ?? []).map(completedOption),
    argument: argumentOf(command),
  }));
  return { paths: [...groups, ...leaves], common: [...COMMON, ...settingOptions()] };
}

const COMMON: readonly CompletedOption[] = [
  { name: '--json', values: 'none', description: 'print JSON on standard output' },
  { name: '--config', values: 'files', description: 'configuration file' },
  { name: '--help', values: 'none', description: 'help of the command' },
];

function nextWords(path: string, commands: readonly Command[]): NextWord[] {
  const words = path === '' ? [] : path.split(' ');
  const found = new Map<string, string>();
  for (const command of commands) {
    const word = command.path[words.length];
    if (word === undefined || !words.every((each, index) => command.path[index] === each)) continue;
    const isCommand = command.path.length === words.length + 1;
    found.set(word, isCommand ? command.summary : describeGroup([...words, word].join(' ')));
  }
  return [...found].map(([word, description]) => ({ word, description }));
}

function argumentOf({ arguments: [first] = [] }: Command): Values | undefined {
  if (first === undefined) return undefined;
  return first.choices ?? (FILE_NAMES.includes(first.name) ? 'files' : 'anything');
}

function completedOption({ flags, description, choices }: CommandOption): CompletedOption {
  const [name = '', placeholder] = flags.split(' ');
  const isFile = FILE_NAMES.some((file) => placeholder === `<${file}>`);
  const values = placeholder === undefined ? 'none' : (choices ?? (isFile ? 'files' : 'anything'));
  return { name, values, description };
}

/** Returns the flags of the settings; secret settings have none. */
function settingOptions(): CompletedOption[] {
  return SETTINGS.filter(({ isSecret }) => !isSecret).flatMap((setting) => {
    const { key, alias, sentence: description } = setting;
    const names = alias === undefined ? [key] : [key, alias];
    return names.map((name) => ({ name: `--${name}`, values: valuesOf(setting), description }));
  });
}

function valuesOf(setting: Setting): Values {
  if (setting.type === 'choice') return setting.choices;
  if (setting.type === 'boolean') return ['true', 'false'];
  return /(File|Dir)$/.test(setting.key) ? 'files' : 'anything';
}
