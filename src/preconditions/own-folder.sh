# A step that fails ends the script. The files that it reads are beside it.
set -e
cd "$(dirname "$0")"
