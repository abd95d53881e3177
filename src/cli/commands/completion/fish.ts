import type { CompletedOption, Completion, Values } from './words.ts';

/** Writes the completion script for fish, with descriptions. */
export function fishCompletion({ paths, common }: Completion): string {
  const leaves = paths.filter(({ next }) => next.length === 0);
  const groups = paths.filter(({ next }) => next.length > 0);
  const withValue = [
    ...new Set(
      [...common, ...paths.flatMap(({ options }) => options)]
        .filter(({ values }) => values !== 'none')
        .map(({ name }) => name),
    ),
  ];
  const at = (path: string): string => `-n ${quoted(`test "$(__proofgate_path)" = ${JSON.stringify(path)}`)}`;
  return `# Completion of proofgate for fish. Load it with: proofgate completion fish | source
# or save it as ~/.config/fish/completions/proofgate.fish
set -g __proofgate_commands ${leaves.map(({ path }) => quoted(path)).join(' ')}
set -g __proofgate_with_value ${withValue.join(' ')}

# The words of the command line that name a command.
function __proofgate_path
    set -l path
    set -l skips 0
    for word in (commandline -opc)[2..-1]
        if test $skips = 1
            set skips 0
        else if string match -q -- '-*' $word
            contains -- $word $__proofgate_with_value; and set skips 1
        else if not contains -- "$path" $__proofgate_commands
            set path $path $word
        end
    end
    echo "$path"
end

complete -c proofgate -f
${groups.flatMap(({ path, next }) => next.map(({ word, description }) => `complete -c proofgate ${at(path)} -a ${quoted(word)} -d ${quoted(description)}`)).join('\n')}
${leaves.flatMap(({ path, options }) => options.map((option) => `complete -c proofgate ${at(path)} ${optionText(option)}`)).join('\n')}
${leaves.flatMap(({ path, argument }) => (argument === undefined || argument === 'anything' ? [] : [`complete -c proofgate ${at(path)} ${valuesText(argument)}`])).join('\n')}
${common.map((option) => `complete -c proofgate -n 'contains -- "$(__proofgate_path)" $__proofgate_commands' ${optionText(option)}`).join('\n')}
`;
}

function optionText({ name, values, description }: CompletedOption): string {
  const value = values === 'none' ? '' : ` ${values === 'anything' ? '-x' : valuesText(values)}`;
  return `-l ${name.replace(/^--/, '')}${value} -d ${quoted(description)}`;
}

function valuesText(values: Values): string {
  if (values === 'files') return '-r -F';
  return typeof values === 'string' ? '-x' : `-x -a ${quoted(values.join(' '))}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
