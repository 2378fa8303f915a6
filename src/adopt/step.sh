# What a step is: each file of a step has its own functions.
set -e
here=$PWD
cd "$(dirname "$0")/.."
# shellcheck source=/dev/null
. ./cluster.sh

# Whether it is done; a step that the cluster does not show is remembered in the folder done.
is_done() { test -e "done/$step"; }
# Fails if a variable that it needs is not set.
needs() { :; }
# Does it, and can be repeated.
run() { say 'nothing to run'; }
# Whether it has worked.
has_worked() { is_done; }
# Undoes it.
undo() { fail "There is no way back: $no_way_back"; }
