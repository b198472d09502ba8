"""How each shell asks for candidates, and where it looks for the script that does."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from attnsolve.cli.shared import ASKED

BASH = f"""\
_attnsolve() {{
    local word rest
    COMPREPLY=()
    while IFS=$'\\t' read -r word rest; do
        case "$word" in
            *" "*) COMPREPLY+=("$(printf %q "$word")") ;;
            *) COMPREPLY+=("$word") ;;
        esac
    done < <("$1" {ASKED} "${{COMP_WORDS[@]:1:COMP_CWORD}}" 2>/dev/null)
    case "${{COMPREPLY[0]}}" in
        */ | *=) compopt -o nospace 2>/dev/null ;;
    esac
}}
complete -o default -F _attnsolve attnsolve
"""
ZSH = f"""\
#compdef attnsolve
_attnsolve() {{
    local word rest
    local -a plain open
    while IFS=$'\\t' read -r word rest; do
        case "$word" in
            */ | *=) open+=("${{word//:/\\\\:}}${{rest:+:$rest}}") ;;
            *) plain+=("${{word//:/\\\\:}}${{rest:+:$rest}}") ;;
        esac
    done < <("${{words[1]}}" {ASKED} "${{(@Q)words[2,CURRENT]}}" 2>/dev/null)
    if (( ${{#plain}} + ${{#open}} )); then
        (( ${{#plain}} )) && _describe attnsolve plain
        (( ${{#open}} )) && _describe attnsolve open -S ''
    else
        _files
    fi
}}
(( $+functions[compdef] )) || {{ autoload -Uz compinit && compinit; }}
compdef _attnsolve attnsolve
"""
FISH = f"""\
function __attnsolve_complete
    set -l before (commandline -opc)
    set -l word (commandline -ct)
    set -l found ($before[1] {ASKED} $before[2..-1] "$word" 2>/dev/null)
    if count $found >/dev/null
        printf '%s\\n' $found
    else
        __fish_complete_path "$word"
    end
end
complete -c attnsolve -f -a '(__attnsolve_complete)'
"""


class Shell(NamedTuple):
    """The script of a shell; where it is put, and the file at whose end it is named (none if it is found there)."""

    script: str
    place: Path
    startup: Path | None


def shells() -> dict[str, Shell]:
    """The shells that are known, and where this user has their files."""
    home = Path.home()
    data = Path(os.environ.get("XDG_DATA_HOME") or home / ".local/share") / "attnsolve"
    config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    zsh_home = Path(os.environ.get("ZDOTDIR") or home)
    return {
        "bash": Shell(BASH, data / "completion.bash", home / ".bashrc"),
        "zsh": Shell(ZSH, data / "completion.zsh", zsh_home / ".zshrc"),
        "fish": Shell(FISH, config / "fish/completions/attnsolve.fish", None),
    }


def current_shell() -> str:
    """The shell that the user has, by its name."""
    return Path(os.environ.get("SHELL", "")).name


def install(shell: Shell) -> list[Path]:
    """Put a script in its place, and have the shell read it when it starts. Returns the files that were written."""
    from attnsolve.publish import write_all

    shell.place.parent.mkdir(parents=True, exist_ok=True)
    write_all([(shell.place, [shell.script])], force=True)
    if shell.startup is None:
        return [shell.place]
    line = f"source '{shell.place}'  # completion of attnsolve\n"
    text = shell.startup.read_text(encoding="utf-8") if shell.startup.exists() else ""
    if line in text:
        return [shell.place]
    with shell.startup.open("a", encoding="utf-8") as stream:
        stream.write(line if not text or text.endswith("\n") else f"\n{line}")
    return [shell.place, shell.startup]
