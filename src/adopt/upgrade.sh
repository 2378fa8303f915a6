# Runs the steps in order. A step that is done is skipped, so that this can be run again at any point.
set -e
here=$PWD
cd "$(dirname "$0")"
# shellcheck source=/dev/null
. ./cluster.sh

# Whether a step is done: by hand, or as it says itself.
finished() { grep -qs 'by hand' "done/$1" || sh "steps/$1.sh" check >/dev/null 2>&1; }

# Remembers that a person has done a step: the earlier ones must be done, and the cluster must not show otherwise.
confirm() {
  case "$1" in *[!A-Za-z0-9.-]* | '') fail 'write --done and the name of a step' ;; esac
  test -e "steps/$1.sh" || fail "there is no step $1"
  same_cluster
  for name in $steps; do
    [ "$name" != "$1" ] || break
    finished "$name" || fail "$1 comes after $name, which is not done"
  done
  sh "steps/$1.sh" verify || fail "$1 is not done: the cluster shows another state"
  mkdir -p 'done'
  echo 'by hand' >"done/$1"
}

case "${1-}" in
  '' | --status) ;;
  --done)
    confirm "${2-}"
    exit 0
    ;;
  *)
    say 'upgrade.sh            runs the steps, or continues'
    say 'upgrade.sh --status   shows which steps are done, and changes nothing'
    say 'upgrade.sh --done X   remembers that step X was done by hand'
    [ "$1" = --help ] || [ "$1" = -h ] || exit 2
    exit 0
    ;;
esac
same_cluster
if [ "${1-}" != --status ]; then
  for name in $steps; do
    test -e "done/$name" || sh "steps/$name.sh" needs
  done
fi
for name in $steps; do
  script="steps/$name.sh"
  if finished "$name"; then
    say "done     $name"
    continue
  fi
  if [ "${1-}" = --status ]; then
    say "to do    $name"
    continue
  fi
  say "running  $name"
  sh "$script" run || exit $?
  sh "$script" verify || fail "$name has run, but has not worked; run upgrade.sh again, or: sh $PWD/$script back"
  mkdir -p 'done'
  echo 'done' >"done/$name"
done
