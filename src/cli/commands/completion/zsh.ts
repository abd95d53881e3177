import type { CompletedOption, Completion, Values } from './words.ts';

/** Writes the completion script for zsh, with descriptions. */
export function zshCompletion({ paths, common }: Completion): string {
  const groups = paths.filter(({ next }) => next.length > 0);
  const leaves = paths.filter(({ next }) => next.length === 0);
  return `#compdef proofgate
# Completion of proofgate for zsh. Load it with: source <(proofgate completion zsh)
# or save it as _proofgate in a folder of $fpath.
_proofgate_next() {
  case "$1" in
${groups.map(({ path, next }) => `    ${quoted(path)}) entries=(${next.map(({ word, description }) => entry(word, description)).join(' ')}) ;;`).join('\n')}
    *) return 1 ;;
  esac
}

_proofgate_options() {
  entries=()
  case "$1" in
${leaves
  .filter(({ options }) => options.length > 0)
  .map(({ path, options }) => `    ${quoted(path)}) entries=(${entries(options)}) ;;`)
  .join('\n')}
  esac
  entries+=(${entries(common)})
}

# The values of an option: words, \${files} or \${anything}.
_proofgate_values() {
  case "$1 $2" in
${leaves.flatMap(({ path, options }) => valueRows(options, `${path} `)).join('\n')}
    *)
      case "$2" in
${valueRows(common, '').join('\n')}
        *) return 1 ;;
      esac
      ;;
  esac
}

_proofgate_argument() {
  case "$1" in
${leaves.flatMap(({ path, argument }) => (argument === undefined ? [] : [`    ${quoted(path)}) values=(${shown(argument)}) ;;`])).join('\n')}
    *) values=() ;;
  esac
}

_proofgate_reply() {
  case "$values[1]" in
    '\${files}') _files ;;
    '\${anything}' | '') _message 'a value' ;;
    *) compadd -a values ;;
  esac
}

_proofgate() {
  local path_words='' word option='' index
  local -a entries values
  for ((index = 2; index < CURRENT; index++)); do
    word="\${words[index]}"
    if [[ -n $option ]]; then
      option=''
    elif [[ $word == -* ]]; then
      _proofgate_values "$path_words" "$word" && option="$word"
    elif _proofgate_next "$path_words"; then
      path_words="\${path_words:+$path_words }$word"
    fi
  done
  if [[ -n $option ]]; then
    _proofgate_values "$path_words" "$option"
    _proofgate_reply
  elif _proofgate_next "$path_words"; then
    _describe command entries
  elif [[ "\${words[CURRENT]}" == -* ]]; then
    _proofgate_options "$path_words"
    _describe option entries
  else
    _proofgate_argument "$path_words"
    _proofgate_reply
  fi
}

if [[ "$funcstack[1]" == _proofgate ]]; then
  _proofgate "$@"
else
  compdef _proofgate proofgate
fi
`;
}

function entries(options: readonly CompletedOption[]): string {
  return options.map(({ name, description }) => entry(name, description)).join(' ');
}

/** Joins a word and its description with a colon, as `_describe` expects them. */
function entry(word: string, description: string): string {
  return quoted(`${word.replaceAll(':', '\\:')}:${description}`);
}

function valueRows(options: readonly CompletedOption[], prefix: string): string[] {
  return options.flatMap(({ name, values }) =>
    values === 'none' ? [] : [`    ${quoted(`${prefix}${name}`)}) values=(${shown(values)}) ;;`],
  );
}

function shown(values: Values): string {
  return typeof values === 'string' ? quoted(`\${${values}}`) : values.map(quoted).join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
