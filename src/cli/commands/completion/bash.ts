import type { CompletedOption, Completion, Values } from './words.ts';

/** Writes the completion script for bash 4 or later; it needs no other package. */
export function bashCompletion({ paths, common }: Completion): string {
  const row = (key: string, text: string): string => `    ${quoted(key)}) echo ${quoted(text)} ;;`;
  const names = (options: readonly CompletedOption[]): string => options.map(({ name }) => name).join(' ');
  const values = paths.flatMap(({ path, options }) =>
    options.flatMap(({ name, values: of }) => (of === 'none' ? [] : [row(`${path} ${name}`, shown(of))])),
  );
  return `# Completion of proofgate for bash. Load it with: source <(proofgate completion bash)
_proofgate_next() {
  case "$1" in
${paths
  .filter(({ next }) => next.length > 0)
  .map(({ path, next }) => row(path, next.map(({ word }) => word).join(' ')))
  .join('\n')}
    *) return 1 ;;
  esac
}

_proofgate_options() {
  case "$1" in
${paths
  .filter(({ options }) => options.length > 0)
  .map(({ path, options }) => row(path, names(options)))
  .join('\n')}
  esac
  echo ${quoted(names(common))}
}

# The values of an option: words, \${files} or \${anything}.
_proofgate_values() {
  case "$1 $2" in
${values.join('\n')}
    *)
      case "$2" in
${common.flatMap(({ name, values: of }) => (of === 'none' ? [] : [`    ${row(name, shown(of))}`])).join('\n')}
        *) return 1 ;;
      esac
      ;;
  esac
}

_proofgate_argument() {
  case "$1" in
${paths.flatMap(({ path, argument }) => (argument === undefined ? [] : [row(path, shown(argument))])).join('\n')}
  esac
}

_proofgate_reply() {
  case "$1" in
    '\${files}')
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$2")
      ;;
    '\${anything}') ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2") ;;
  esac
}

_proofgate() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' word values option='' index
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    if [[ -n $option ]]; then
      option=''
    elif [[ $word == -* ]]; then
      _proofgate_values "$path" "$word" >/dev/null && option="$word"
    elif _proofgate_next "$path" >/dev/null; then
      path="\${path:+$path }$word"
    fi
  done
  if [[ -n $option ]]; then
    _proofgate_reply "$(_proofgate_values "$path" "$option")" "$current"
  elif values="$(_proofgate_next "$path")"; then
    _proofgate_reply "$values --help" "$current"
  elif [[ $current == -* ]]; then
    _proofgate_reply "$(_proofgate_options "$path")" "$current"
  else
    _proofgate_reply "$(_proofgate_argument "$path")" "$current"
  fi
}

complete -F _proofgate proofgate
`;
}

/** Values as the script encodes them. */
function shown(values: Values): string {
  return typeof values === 'string' ? `\${${values}}` : values.join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
