update=$state/update
# The update itself is a file on the node, so that a boot can end it if the power fails.
main() {
  [ "$(id -u)" = 0 ] || { say 'this needs root'; exit 77; }
  { mkdir -p "$update" && chmod 0700 "$update" && (umask 077; write_update > "$update/run.new") &&
    mv -f "$update/run.new" "$update/run.sh"; } || {
    rm -f "$update/run.new"
    say 'the new files cannot be written: is the disk full? Nothing is changed'
    exit 74
  }
  exec sh "$update/run.sh" "$@" </dev/null
}
