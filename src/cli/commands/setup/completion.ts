import { parseChoice } from '../../program/errors.js';
import type { BodyOf } from '../../program/declaration.js';
import { SHELLS } from '../../program/shared-options.js';
import type { completion } from '../../declarations/setup.js';

/**
 * Shell completion scripts. They call `sandbox __complete`, which prints a mode (`values`, `nospace`, `files`
 * or `folders`) on the first line, and one candidate on each other line.
 */
const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], string>> = {
  bash: `# Bash completion for sandbox. Save this script in the bash-completion directory:
#   sandbox completion bash > ~/.local/share/bash-completion/completions/sandbox
# or add this line to ~/.bashrc:
#   source <(sandbox completion bash)
# This line also enables completion after npx.
_pix_sandbox() { _pix_sandbox_complete "$1" "\${COMP_LINE:0:COMP_POINT}"; }
_pix_sandbox_complete() {
  local how='' candidate
  COMPREPLY=()
  while IFS= read -r candidate; do
    if [[ -z $how ]]; then how=$candidate; else COMPREPLY+=("$candidate"); fi
  done < <("$1" __complete bash "$2" "$COMP_WORDBREAKS" 2>/dev/null)
  type compopt >/dev/null 2>&1 || return 0
  case $how in
    nospace) compopt -o nospace ;;
    files) compopt -o default ;;
    folders) compopt -o dirnames ;;
  esac
}
complete -F _pix_sandbox sandbox pix-sandbox

# npx: uses the sandbox of this project, so nothing is downloaded; all other commands use the
# previous completion.
_pix_sandbox_npx() {
  local folder=$PWD line=\${COMP_LINE:0:COMP_POINT}
  if ((COMP_CWORD > 1)) && [[ \${COMP_WORDS[1]} == sandbox || \${COMP_WORDS[1]} == pix-sandbox ]]; then
    while [[ -n $folder && ! -x $folder/node_modules/.bin/pix-sandbox ]]; do folder=\${folder%/*}; done
    type compopt >/dev/null 2>&1 && compopt +o default +o bashdefault
    _pix_sandbox_complete "$folder/node_modules/.bin/pix-sandbox" "\${line#*npx}"
  elif [[ -n $_pix_sandbox_npx_before ]]; then
    "$_pix_sandbox_npx_before" "$@"
  else
    COMPREPLY=()
  fi
}
if [[ $(complete -p npx 2>/dev/null) =~ -F\\ ([^ ]+) && \${BASH_REMATCH[1]} != _pix_sandbox_npx ]]; then
  _pix_sandbox_npx_before=\${BASH_REMATCH[1]}
fi
complete -o bashdefault -o default -F _pix_sandbox_npx npx
`,
  zsh: `#compdef sandbox pix-sandbox
# Zsh completion for sandbox. Save this script in a directory of your fpath:
#   sandbox completion zsh > "\${fpath[1]}/_sandbox"
# or add this line to ~/.zshrc, after compinit:
#   source <(sandbox completion zsh)
# This line also enables completion after npx.
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
# npx: uses the sandbox of this project, so nothing is downloaded; all other commands use the
# previous completion.
_sandbox_npx() {
  local folder=$PWD
  if (( CURRENT > 2 )) && [[ $words[2] == (pix-|)sandbox ]]; then
    while [[ -n $folder && ! -x $folder/node_modules/.bin/pix-sandbox ]]; do folder=\${folder%/*}; done
    shift words
    (( CURRENT-- ))
    words[1]=\${(q)folder}/node_modules/.bin/pix-sandbox
    _sandbox
  else
    "\${_sandbox_npx_before:-_default}" "$@"
  fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _sandbox "$@"
else
  compdef _sandbox sandbox pix-sandbox
  [[ $_comps[npx] == _sandbox_npx ]] || typeset -g _sandbox_npx_before=$_comps[npx]
  compdef _sandbox_npx npx
fi
`,
  fish: `# Fish completion for sandbox. Save this script in the fish completions directory:
#   sandbox completion fish > ~/.config/fish/completions/sandbox.fish
# or in ~/.config/fish/conf.d, to also enable completion after npx.
function __pix_sandbox_npx
    set -l line (commandline -opc)
    contains -- "$line[2]" sandbox pix-sandbox
end
function __pix_sandbox
    set -l line (commandline -opc)
    # Uses the sandbox of this project, so nothing is downloaded.
    if test "$line[1]" = npx
        set -l folder $PWD
        while test -n "$folder" -a ! -x "$folder/node_modules/.bin/pix-sandbox"
            set folder (string replace -r '/[^/]*$' '' -- "$folder")
        end
        set line "$folder/node_modules/.bin/pix-sandbox" $line[3..]
    end
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
complete -c npx -n __pix_sandbox_npx -f -k -a '(__pix_sandbox)'
`,
  powershell: String.raw`# PowerShell completion for sandbox. Add this script to your profile:
#   sandbox completion powershell >> $PROFILE
Register-ArgumentCompleter -Native -CommandName sandbox, pix-sandbox, npx -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $typed = $commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition }
    $before = @($typed | ForEach-Object {
        $isText = $_ -is [System.Management.Automation.Language.StringConstantExpressionAst]
        if ($isText) { $_.Value } else { $_.Extent.Text }
    })
    if ($before.Count -eq 0) { return }
    $command = @($before[0])
    $first = 1
    if ($before[0] -match '(^|[\\/])npx(\.cmd|\.ps1)?$') {
        # Uses the sandbox of this project, so nothing is downloaded.
        if ($before.Count -lt 2 -or $before[1] -notin 'sandbox', 'pix-sandbox') { return }
        $script = $null
        for ($folder = $PWD.ProviderPath; $folder; $folder = Split-Path -Parent $folder) {
            $found = Join-Path $folder 'node_modules/pix-sandbox/bin/sandbox.js'
            if (Test-Path -LiteralPath $found -PathType Leaf) { $script = $found; break }
        }
        if ($null -eq $script) { return }
        $command = @('node', $script)
        $first = 2
    }
    $words = @($before | Select-Object -Skip $first) + @($wordToComplete -replace '^["'']', '')
    # A Windows command file would interpret these characters.
    if ($words -match '[&|<>^%"]') { return }
    # Windows PowerShell drops empty arguments, so each starts with an equals sign.
    $given = @($command | Select-Object -Skip 1) + @('__complete', 'powershell') + @($words | ForEach-Object { "=$_" })
    $lines = @(& $command[0] @given 2>$null)
    $lines | Select-Object -Skip 1 | ForEach-Object {
        $value, $description = $_.Split([char[]]@([char]9), 2)
        $text = $value
        if ($value -match '[^\w:./=+-]') { $text = "'" + ($value -replace "(['\u2018-\u201b])", '$1$1') + "'" }
        if (-not $description) { $description = $value }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $description)
    }
}
`,
};

export const printScript: BodyOf<typeof completion> = async ({ io, args }) => {
  const shell = parseChoice('shell', args.shell, SHELLS);
  const script = SCRIPTS[shell];
  io.emit({ shell, script });
  io.say(script.trimEnd());
};
