# The new files beside the old ones, so that a full disk changes nothing.
stage() (
  umask 077
  rm -rf "$update/new" && mkdir -p "$update/new" || exit
  number=0
  while [ "$number" -lt "$files" ]; do
    number=$((number + 1))
    file_text "$number" > "$update/new/$number" || exit
  done
  echo "$applied" > "$update/new/applied" && chmod 0644 "$update/new/applied" || exit
  for step in $stages; do $step || exit; done
)

# save PATH: a copy, or that there was none
save() {
  count=$((count + 1))
  if [ -e "$1" ]; then cp -p "$1" "$update/old/$count" && echo "$count $1"
  else echo "- $1"; fi >> "$update/old/list"
}
backup() (
  umask 077
  rm -rf "$update/old" && mkdir -p "$update/old" || exit
  count=0 number=0
  while [ "$number" -lt "$files" ]; do
    number=$((number + 1))
    file "$number"
    save "$path" || exit
  done
  for path in $other_files "$state/applied" "$flags" "$config" "$instance"; do save "$path" || exit; done
  for step in $backups; do $step || exit; done
  version > "$update/old/version" && { [ -e "$update/labels" ] || echo "$old" > "$update/labels"; } &&
    cat <&9 > "$update/update.new" && heal_unit > "$update/unit" && sync || exit
  # a file has its name before its content is on the disk: whole first, and no mark of another update beside it
  rm -f "$update/changed" && mv -f "$update/update.new" "$update/update.sh" && heal_at_boot &&
    : > "$update/changing" && sync
)

# A hidden file beside another: kubelet reads every other file of the folder of static Pods.
beside() { echo "${1%/*}/.${1##*/}.edge-nodepools"; }
# put NEW PATH MODE
put() {
  if same "$1" "$2"; then chmod "$3" "$2"; return; fi
  beside=$(beside "$2")
  mkdir -p "${2%/*}" && cp "$1" "$beside" && chmod "$3" "$beside" && mv -f "$beside" "$2" || return
  touched "$2"
}
drop() { [ -e "$1" ] || return 0; rm -f "$1" && touched "$1"; }

# Everything, in order. What fails returns, and the script takes all of it back.
apply() {
  number=0
  while [ "$number" -lt "$files" ]; do
    number=$((number + 1))
    file "$number"
    put "$update/new/$number" "$path" "$mode" || return
  done
  for path in $obsolete; do drop "$path" || return; done
  for step in $changes; do $step || return; done
  keep_patch && configure || { say 'kubeadm has not written the configuration of kubelet'; return 1; }
  arguments && reload || return
  [ -z "$runtime" ] || restart "$unit" || { say "$unit does not start with the new settings"; return 1; }
  [ -n "$kubelet" ] || return 0
  restart kubelet && healthy && return
  say "kubelet is not healthy with the new settings: $(said)"
  return 1
}

# By the credential of kubelet, which may change labels of its own Node (NodeRestriction). Those of the former
# join go.
label() {
  body=$(new=$labels old=$(cat "$update/labels") pool=${pool_label%%=*} awk '
    BEGIN {
      pool = ENVIRON["pool"]
      n = split(ENVIRON["new"], label, ",")
      for (i = 1; i <= n; i++) {
        at = index(label[i], "="); key = substr(label[i], 1, at - 1)
        if (!(key in value)) order[++count] = key
        value[key] = substr(label[i], at + 1)
      }
      for (i = 1; i <= count; i++)
        if (order[i] != pool) out = out ",\"" order[i] "\":\"" value[order[i]] "\""
      m = split(ENVIRON["old"], label, ",")
      for (i = 1; i <= m; i++) {
        key = label[i]; sub(/=.*/, "", key)
        if (key != "" && key != pool && !(key in value)) out = out ",\"" key "\":null"
      }
      print "{\"metadata\":{\"labels\":{" substr(out, 2) "}}}"
    }')
  api PATCH "/api/v1/nodes/$name" "$body" >/dev/null
}

# What is left to do when the node has its new settings.
finish() {
  # on the disk since before the change, so that no power cut leaves an empty one
  [ ! -e "$update/new/applied" ] || mv -f "$update/new/applied" "$state/applied" || exit 74
  label || {
    say "the settings are applied, but the label of the Node is not set: the next boot tries again, or run this" \
      "again; or kubectl label node $name $join_label --overwrite"
    exit 69
  }
  clean_up
}

# An update that was cut off, by its own script.
heal() {
  if [ -e "$update/changing" ]; then
    say 'an update was cut off: what it has changed is taken back'
    kubelet=1 runtime=1 units=1
    roll_back || exit
  elif [ -e "$update/changed" ]; then
    say 'an update was cut off: the rest of it is done'
    identify
    finish
  else
    clean_up
  fi
  exit 0
}

main() {
  accept='' healed=0
  case ${1-} in --accept) accept=1 ;; esac
  [ "$(id -u)" = 0 ] || { say 'this needs root'; exit 77; }
  # whoever ends the former update removes the folder that this script is in
  exec 9< "$0"
  # an unfinished label is no obstacle
  [ "${1-}" = heal ] || [ ! -e "$update/update.sh" ] || sh "$update/update.sh" heal || healed=$?
  case $healed in 0 | 69) ;; *) exit "$healed" ;; esac
  # first of all: of a join that runs, neither certificate nor record says anything yet
  lock
  trap 'status=$?; ended' EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 141' PIPE
  trap 'exit 143' TERM
  [ "${1-}" != heal ] || heal
  is_joined || { say 'this machine has not joined: there is nothing to update'; exit 66; }
  [ ! -s "$state/applied.new" ] ||
    { say "the join of this machine has not ended: run it first, sh $state/join.sh"; exit 78; }
  for step in $before_update; do $step || exit; done
  mkdir -p "$update" && chmod 0700 "$update" || { say 'nothing can be written, so nothing is changed'; exit 74; }
  identify
  check
  stage && backup || { say 'the new files cannot be written: is the disk full? Nothing is changed'; exit 74; }
  changing=1
  apply || exit 70
  # some file systems write the content of a file later than the removal of another one
  sync
  changing=''
  mv -f "$update/changing" "$update/changed"
  finish
  if [ -z "$changed" ]; then say "nothing to do: this node has join $hash"
  else say "this node has join $hash now. Changed: ${changed#, }"; fi
  [ -z "$kubelet" ] || say 'kubelet was restarted, and is healthy'
  [ -z "$runtime" ] || say 'the container runtime was restarted'
}
# a shell reads a function to its end before it runs it
main "$@"
exit
