[ "$(id -u)" = 0 ] || { echo 'edge-nodepools: this needs root' >&2; exit 77; }
