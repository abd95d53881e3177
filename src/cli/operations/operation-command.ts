import type { Config } from '../../config/settings/types.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { JsonSchema, TypeOf } from '../../json.ts';
import type { OutputOf } from '../../operations/operation.ts';
import { printable, writeText } from '../output/output.ts';
import type {
  Command,
  CommandArgument,
  CommandContext,
  CommandInput,
  CommandOption,
} from '../program/command.ts';
import type { CallableOperation, CallOperation } from './call.ts';
import { SERVER_OPTIONS, withOperations } from './call-operation.ts';

/** Result of a command: a value, or its JSON, for `--json`, and text. */
export type Shown = { readonly text: string } & ({ readonly json: unknown } | { readonly jsonText: string });

/** Dependencies of a command that calls operations. */
export interface CommandParts {
  readonly input: CommandInput;
  readonly context: CommandContext;
  readonly call: CallOperation;
  /** Undefined with `--server`: the service has its own settings. */
  readonly config: Config | undefined;
}

/** Command whose work is calls of operations. */
export interface CallingCommand<Prepared> extends Omit<Command, 'run'> {
  /** Reads and checks the command line, before settings are loaded and the store is opened. */
  readonly prepare?: (input: CommandInput, context: CommandContext) => Prepared | Promise<Prepared>;
  readonly run: (parts: CommandParts, prepared: Prepared) => Promise<Shown>;
}

/** Creates a command that calls operations on the store or, with `--server`, on a running service. */
export function callingCommand<Prepared = void>({
  prepare,
  run,
  options = [],
  ...command
}: CallingCommand<Prepared>): Command {
  return {
    ...command,
    options: [...options, ...SERVER_OPTIONS],
    run: async (input, context) => {
      const prepared = (await prepare?.(input, context)) as Prepared;
      return await withOperations(input, context, async (call, config) => {
        const shown = await run({ input, context, call, config }, prepared);
        if ('json' in shown) await context.print(shown.json, shown.text);
        else await writeText(context.stdout, `${context.isJson ? shown.jsonText : printable(shown.text)}\n`);
        return 0;
      });
    },
  };
}

/** Option for one member of an input, if it does not follow from its schema. */
export interface MemberOption {
  /** Flag of the option, e.g. `--redirect-uri <uri>`; that of the name of the member if absent. */
  readonly flags?: string;
  readonly description?: string;
  /** Whether the operation, instead of the command line, validates the value. */
  readonly isCheckedLater?: true;
  /** Reads the value of the option, where it is not the value of the member. */
  readonly read?: (text: string, context: CommandContext) => unknown;
}

/** Options of the members of an input, by their names; null for one without an option. */
export type MemberOptions = Readonly<Record<string, MemberOption | null>>;

/** Options that follow from the schema of an input, and their reader. */
export interface DerivedOptions {
  readonly options: readonly CommandOption[];
  /** Whether any of the options was given. */
  isGiven(input: CommandInput): boolean;
  /** Returns the members that were given. @throws ServiceError `cli.usage` */
  read(input: CommandInput, context: CommandContext): Promise<Readonly<Record<string, unknown>>>;
}

/** Derives the options of a command from the schema of an input. @param own - For members that differ from the rule. */
export function optionsOf(
  { properties = {}, required = [] }: Pick<JsonSchema, 'properties' | 'required'>,
  own: MemberOptions = {},
): DerivedOptions {
  const members = Object.entries(properties)
    .filter(([name]) => own[name] !== null)
    .map(([name, schema]) => memberOption(name, schema, required.includes(name), own[name] ?? {}));
  return {
    options: members.flatMap(({ options }) => options),
    isGiven: (input) => members.some((member) => member.isGiven(input)),
    async read(input, context) {
      const entries = await Promise.all(
        members.map(async ({ name, read }) => [name, await read(input, context)] as const),
      );
      return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
    },
  };
}

interface Member {
  readonly name: string;
  readonly options: readonly CommandOption[];
  isGiven(input: CommandInput): boolean;
  read(input: CommandInput, context: CommandContext): unknown;
}

function memberOption(
  name: string,
  schema: JsonSchema,
  isRequired: boolean,
  { flags: given, description = schema.description ?? name, isCheckedLater, read }: MemberOption,
): Member {
  const types: readonly unknown[] = [schema.type].flat();
  const isSwitch = types.includes('boolean');
  const word = name.replaceAll('_', '-');
  const flags = given ?? `--${word}${isSwitch ? '' : ` <${valueNameOf(types)}>`}`;
  const [flag = ''] = flags.split(' ');
  const key = flag.slice(2).replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const isOffAllowed = isSwitch || types.includes('null');
  const isRepeatable = types.includes('array') && read === undefined;
  const choices = isCheckedLater === true ? undefined : schema.enum?.map(String);
  const option: CommandOption = {
    flags,
    description: isRepeatable ? `${description} May be given several times.` : description,
    ...(isRequired ? { isRequired } : {}),
    ...(isRepeatable ? { isRepeatable } : {}),
    ...(choices === undefined ? {} : { choices }),
  };
  const off = { flags: `--no-${flag.slice(2)}`, description: isSwitch ? 'the opposite' : 'remove it' };
  return {
    name,
    options: isOffAllowed ? [option, off] : [option],
    isGiven: (input) =>
      input.has(key) || input.isOff(key) || (input.options(key) ?? input.option(key)) !== undefined,
    async read(input, context) {
      if (isSwitch) return input.has(key) ? true : input.isOff(key) ? false : undefined;
      if (isOffAllowed && input.isOff(key)) return null;
      if (isRepeatable) return input.options(key);
      const text = input.option(key);
      if (text === undefined) return undefined;
      if (read !== undefined) return withinBounds(flag, await read(text, context), schema);
      return types.includes('integer') ? wholeNumber(flag, text, schema.minimum, schema.maximum) : text;
    },
  };
}

function valueNameOf(types: readonly unknown[]): string {
  return types.includes('integer') ? 'number' : 'value';
}

/** Returns a value that was read; a number must be within the bounds of its schema. @throws ServiceError `cli.usage` */
function withinBounds(flag: string, value: unknown, { minimum = 0, maximum }: JsonSchema): unknown {
  if (typeof value !== 'number' || maximum === undefined) return value;
  if (value >= minimum && value <= maximum) return value;
  throw new ServiceError('cli.usage', `${flag}: expected ${minimum} to ${maximum} seconds, got ${value}`);
}

/** Parses the value of an option as a whole number. @throws ServiceError `cli.usage` */
export function wholeNumber(flag: string, text: string, minimum = 0, maximum?: number): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= minimum && value <= (maximum ?? Number.MAX_SAFE_INTEGER)) return value;
  const range = maximum === undefined ? '' : ` from ${minimum} to ${maximum}`;
  const got = JSON.stringify(text.slice(0, 40));
  throw new ServiceError('cli.usage', `${flag}: expected a whole number${range}, got ${got}`);
}

/** Command of one operation. */
export interface OperationCommandText<O extends CallableOperation> {
  readonly path: readonly string[];
  readonly summary: string;
  readonly details?: string;
  /** Members of the input that are positional arguments. */
  readonly arguments?: { readonly [M in keyof TypeOf<O['input']>]?: CommandArgument };
  /** Members whose options differ from the rule. */
  readonly members?: { readonly [M in keyof TypeOf<O['input']>]?: MemberOption | null };
  /** Members with a fixed value. */
  readonly fixed?: Partial<TypeOf<O['input']>>;
  /** Question to be confirmed first. */
  readonly confirm?: (
    values: TypeOf<O['input']>,
    parts: CommandParts,
  ) => string | undefined | Promise<string | undefined>;
  readonly show: (
    output: OutputOf<O['output']>,
    values: TypeOf<O['input']>,
    parts: CommandParts,
  ) => Shown | Promise<Shown>;
}

/** Option of a command that asks for confirmation. */
export const YES_OPTION: CommandOption = { flags: '--yes', description: 'do not ask' };

/** Creates the command of an operation: its options follow from the schema of the input. */
export function operationCommand<O extends CallableOperation>(
  operation: O,
  text: OperationCommandText<O>,
): Command {
  const { path, summary, details, arguments: given = {}, members, fixed = {}, confirm, show } = text;
  const positional = Object.entries<CommandArgument | undefined>(given).flatMap(([member, argument]) =>
    argument === undefined ? [] : [[member, argument] as const],
  );
  const without = [...positional.map(([member]) => member), ...Object.keys(fixed)].map((name) => [
    name,
    null,
  ]);
  const derived = optionsOf(operation.input, { ...members, ...Object.fromEntries(without) });
  return callingCommand({
    path,
    summary,
    ...(details === undefined ? {} : { details }),
    ...(positional.length === 0 ? {} : { arguments: positional.map(([, argument]) => argument) }),
    options: [...derived.options, ...(confirm === undefined ? [] : [YES_OPTION])],
    async prepare(input, context) {
      const named = positional.map(([member, { name }]) => [member, input.argument(name)]);
      const values = { ...Object.fromEntries(named), ...fixed, ...(await derived.read(input, context)) };
      return values as TypeOf<O['input']>;
    },
    async run(parts, values) {
      const { context, call } = parts;
      const question = await confirm?.(values, parts);
      if (question !== undefined) await context.confirm(question);
      return await show(await call(operation, values), values, parts);
    },
  });
}
