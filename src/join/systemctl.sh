control() { ! command -v systemctl >/dev/null 2>&1 || systemctl "$@"; }
