import type { SHELLS } from '../program/shared-options.js';

/**
 * The scripts, which get everything from `sandbox __complete`. It prints a line that says how to complete (`values`,
 * `nospace`, `files`, `folders`), then a line for each candidate.
 */
export const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], string>> = {
  bash: `# Completion of sandbox for bash. Either keep it where bash-completion looks:
#   sandbox completion bash > ~/.local/share/bash-completion/completions/sandbox
# or add to ~/.bashrc:
#   source <(sandbox completion bash)
_pix_sandbox() {
  local how='' candidate
  COMPREPLY=()
  while IFS= read -r candidate; do
    if [[ -z $how ]]; then how=$candidate; else COMPREPLY+=("$candidate"); fi
  done < <("$1" __complete bash "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
  type compopt >/dev/null 2>&1 || return 0
  case $how in
    nospace) compopt -o nospace ;;
    files) compopt -o default ;;
    folders) compopt -o dirnames ;;
  esac
}
complete -F _pix_sandbox sandbox pix-sandbox
`,
  zsh: `#compdef sandbox pix-sandbox
# Completion of sandbox for zsh. Either keep it in a folder of your fpath:
#   sandbox completion zsh > "\${fpath[1]}/_sandbox"
# or add to ~/.zshrc, after compinit:
#   source <(sandbox completion zsh)
_sandbox() {
  local -a lines
  local how
  lines=("\${(@f)$("\${(Q)words[1]}" __complete zsh "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  how=$lines[1]
  shift lines
  local -a ending
  [[ $how == nospace ]] && ending=(-S '')
  (( $#lines )) && _describe -V sandbox lines "\${ending[@]}"
  [[ $words[CURRENT] == --*=* ]] && compset -P '*='
  case $how in
    files) _files ;;
    folders) _files -/ ;;
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _sandbox "$@"
else
  compdef _sandbox sandbox pix-sandbox
fi
`,
  fish: `# Completion of sandbox for fish. Keep it where fish looks:
#   sandbox completion fish > ~/.config/fish/completions/sandbox.fish
function __pix_sandbox
    set -l line (commandline -opc)
    set -l typed (commandline -ct)
    set -l lines ($line[1] __complete fish $line[2..] "$typed" 2>/dev/null)
    set -l option (string match -r -- '^--[^=]*=' "$typed")
    set -l path (string replace -r -- '^--[^=]*=' '' "$typed")
    switch "$lines[1]"
        case files
            printf "$option%s\\n" (__fish_complete_path "$path")
        case folders
            printf "$option%s\\n" (__fish_complete_directories "$path")
    end
    set -q lines[2]; and printf '%s\\n' $lines[2..]
end
complete -c sandbox -c pix-sandbox -f -k -a '(__pix_sandbox)'
`,
};
