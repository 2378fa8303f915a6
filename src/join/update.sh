#: update
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
#: update-back
setting() { sed -n "s/^$1: *\"\{0,1\}\([^\"]*\)\"\{0,1\}\$/\1/p" "$config" | head -n 1; }
is_healthy() {
  if [ -n "$url" ] && command -v curl >/dev/null 2>&1; then
    curl -fsS -m 3 --noproxy '*' "$url" >/dev/null 2>&1
  elif [ -n "$url" ] && command -v wget >/dev/null 2>&1; then
    http_proxy='' HTTP_PROXY='' wget -q -T 3 -O /dev/null "$url" 2>/dev/null
  else
    systemctl is-active --quiet kubelet
  fi
}
# A kubelet with a broken configuration ends at once, and is started again and again.
healthy() {
  port=$(setting healthzPort) address=$(setting healthzBindAddress) url='' in_a_row=20
  case ${port:-10248} in 0) ;; *) url=http://${address:-127.0.0.1}:${port:-10248}/healthz ;; esac
  if [ -n "$url" ] && { command -v curl || command -v wget; } >/dev/null 2>&1; then in_a_row=3; fi
  waited=0 good=0
  while [ "$waited" -lt "$seconds_until_healthy" ] || [ "$good" != 0 ]; do
    sleep 1
    waited=$((waited + 1))
    if is_healthy; then good=$((good + 1)); else good=0; fi
    [ "$good" -lt "$in_a_row" ] || return 0
  done
  return 1
}
# The last line of a kubelet that is not healthy.
said() {
  text=$(command -v journalctl >/dev/null 2>&1 && journalctl -q -u kubelet -n 40 -o cat 2>/dev/null |
    grep -e '^E' -e 'err=' -e '^Error' | sed -n '$p' | cut -c 1-300)
  echo "${text:-journalctl -u kubelet says why}"
}

# At the next boot, systemd ends an update that the power has cut off.
heal_unit() {
  cat <<'END'
[Unit]
Description=Ends an update of this node that was cut off
Wants=network-online.target
After=network-online.target kubelet.service containerd.service crio.service
[Service]
Type=oneshot
ExecStart=/bin/sh /var/lib/edge-nodepools/update/update.sh heal
[Install]
WantedBy=multi-user.target
END
}
heal_at_boot() {
  wants=/etc/systemd/system/multi-user.target.wants
  mkdir -p $wants && mv -f "$update/unit" ${wants%/*}/edge-nodepools-update.service || return
  ln -sf ../edge-nodepools-update.service $wants/edge-nodepools-update.service
}
# Nothing that is left would be done again.
clean_up() {
  rm -f "$update/changing" "$update/changed" "$update/labels"
  rm -f /etc/systemd/system/multi-user.target.wants/edge-nodepools-update.service \
    /etc/systemd/system/edge-nodepools-update.service
  rm -rf "$update"
}

mode() { set -- $(ls -ld "$1"); echo "$1"; }
# Restores what `backup` has copied.
roll_back() {
  trap '' HUP INT PIPE TERM
  changing='' lost=''
  while read -r number path; do
    # of a copy that was cut off
    beside=$(beside "$path")
    rm -f "$beside"
    if [ "$number" = - ]; then
      rm -f "$path" || lost="$lost $path"
    elif ! same "$update/old/$number" "$path" || [ "$(mode "$update/old/$number")" != "$(mode "$path")" ]; then
      cp -p "$update/old/$number" "$beside" && mv -f "$beside" "$path" ||
        lost="$lost $path"
    fi
  done < "$update/old/list"
  for step in $returns; do $step; done
  reload
  [ -z "$runtime" ] || restart "$unit"
  if [ -n "$kubelet" ] || [ -n "$runtime" ]; then
    restart kubelet
    healthy || lost="$lost; kubelet is not healthy: $(said)"
  fi
  [ -z "$lost" ] ||
    { say "not everything could be taken back:$lost. The former files are in $update/old"; return 71; }
  sync
  clean_up
}
# At the end of a script that has not come to its end.
ended() {
  trap - EXIT
  if [ -n "$changing" ]; then
    if roll_back; then say 'the update is taken back: this node is as before'; else status=71; fi
  fi
  [ -e "$update/changing" ] || [ -e "$update/changed" ] || clean_up
  unlock
  exit "$status"
}
#: update-checks
# Ends the script before it changes anything, if an update cannot do what this join wants.
refuse() { other="$other, $1"; }
# stop TEXT [STATUS]
stop() { say "$1. Nothing is changed"; exit "${2:-78}"; }

# Name and labels, with which kubelet has registered and should register.
identify() {
  old=$(arg node-labels) name=$(arg hostname-override) labels=$own_labels
  [ -n "$name" ] || name=$(awk '{ print tolower($1) }' /proc/sys/kernel/hostname)
  for step in $identity; do $step || exit; done
}

check() {
  [ -z "$node_name" ] || [ "$name" = "$node_name" ] || refuse "the name ($name)"
  [ ! -e "$state/joined" ] || refuse 'how it has joined'
  [ -z "$pool_label" ] || case ",$old," in *",$pool_label,"*) ;; *) refuse 'the pool' ;; esac
  [ "$(arg register-with-taints)" = "$taints" ] || refuse taints
  case "$(arg container-runtime-endpoint) $(cat "$instance" 2>/dev/null)" in
    *"$other_runtime.sock"*) refuse 'the container runtime' ;;
  esac
  check_ca
  [ -z "$other" ] || stop "an update cannot change ${other#, } of a node: leave and join again"
  [ ! -e "$state/applied" ] ||
    { [ -s "$state/applied" ] && [ -z "$(tail -c 1 "$state/applied" | tr -c '\n' x)" ]; } ||
    say "$state/applied is empty or torn, so what this node has is unknown: everything is compared and written again"
  # a node without a record may have run none
  commands=$(echo "$applied" | grep '^[0-9a-f]* commands ' | grep -vxF -e "$(cat "$state/applied" 2>/dev/null)" |
    sed 's/^[^ ]* /, /' | tr -d '\n')
  [ -z "$commands" ] || [ -n "$accept" ] || stop "other ${commands#, }: an update runs none. Leave and join again, \
or run them yourself and then this script with --accept"
  for step in $checks; do $step || exit; done
}

check_ca() {
  ca=/etc/kubernetes/pki/ca.crt
  [ -n "$pins" ] && command -v openssl >/dev/null 2>&1 || return 0
  [ "$(grep -c 'BEGIN CERT' $ca 2>/dev/null)" = 1 ] || return 0
  pin=$(openssl x509 -in $ca -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -r)
  case " $(echo $pins) " in *" ${pin%% *} "*) ;; *) refuse 'the cluster' ;; esac
}
#: update-containerd
change_containerd() {
  toml=/etc/containerd/config.toml
  [ ! -e $toml ] || cp $toml "$update/toml" || return
  configure_containerd || return
  same "$update/toml" $toml || touched $toml
}
#: update-end
# a shell that has read only a part of this script does nothing
main "$@"
#: update-folder
# An update that fails goes back to the former version, which has to come from the folder, too.
check_folder() {
  [ "$have" != "$kubelet_version" ] || return 0
  { in_folder kubelet "$kubelet_version" && in_folder kubeadm "$kubelet_version"; } ||
    stop 'these packages are needed' 66
  [ -z "$have" ] || [ -n "$accept" ] || { in_folder kubelet "$have" && in_folder kubeadm "$have"; } ||
    stop 'without them this update cannot be taken back: add the packages, or run this script with --accept' 66
}
#: update-identity
# Several machines share the join: this one keeps its name, and has labels of its own.
check_identity() {
  this=$name
  read_identity || return
  [ "$name" = "$this" ] || refuse "the name ($this)"
  labels=$own_labels$labels
}
#: update-kubelet
# kubeadm 1.34 and later applies this file in every upgrade, and the join has added the former patch to it.
keep_patch() {
  [ -s "$instance" ] || return 0
  socket=$(sed -n 's/^[{ ]*"\{0,1\}containerRuntimeEndpoint"\{0,1\}: *"\{0,1\}\([^",]*\).*/\1/p' "$instance" |
    head -n 1)
  [ -n "$socket" ] || return 0
  if [ -z "$patch" ]; then echo "containerRuntimeEndpoint: \"$socket\""
  else
    echo "{\"containerRuntimeEndpoint\": \"$socket\"," && sed '1s/^{//' "$patch"
  fi > "$update/instance" || return
  same "$update/instance" "$instance" ||
    { chmod 0644 "$update/instance" && mv -f "$update/instance" "$instance"; }
}

# The configuration of kubelet: that of the cluster with our patch.
configure() {
  cp "$config" "$update/before" || return
  backups=$(echo $(ls /etc/kubernetes/tmp 2>/dev/null)) status=0
  set -- --kubeconfig "$kubeconfig"
  [ -z "$patch" ] || set -- "$@" --patches "${patch%/*}"
  if [ -z "$installed" ]; then set -- phase kubelet-config "$@"
  elif [ -n "$ignored" ]; then set -- "$@" "--ignore-preflight-errors=$ignored"; fi
  kubeadm upgrade node "$@" || status=$?
  # kubeadm leaves a copy of the former configuration in every run
  for folder in /etc/kubernetes/tmp/kubeadm-kubelet-config*; do
    case " $backups " in *" ${folder##*/} "*) ;; *) rm -rf "$folder" ;; esac
  done
  rmdir /etc/kubernetes/tmp 2>/dev/null
  [ "$status" = 0 ] || return "$status"
  same "$update/before" "$config" || kubelet=1 changed="$changed, kubelet configuration"
}

# The arguments of kubelet in the file of kubeadm. Those of kubeadm and yurthub stay (phases/kubelet/flags.go),
# if kubelet still has them. What node-servant has added for yurthub is at the end: it removes that text with
# its blanks (node-servant/components/kubelet.go). Labels and taints count when kubelet registers, so they need
# no restart.
arguments() {
  want="--node-labels=$labels $kubelet_arguments" have=$(args) keep=" $(echo $kept_flags) " \
    gone=" $(echo $removed_flags) " awk '
    function name(flag) { sub(/^--/, "", flag); sub(/=.*/, "", flag); return flag }
    BEGIN {
      n = split(ENVIRON["have"], have, " "); m = split(ENVIRON["want"], want, " ")
      for (i = 1; i <= m; i++) set[name(want[i])] = 1
      for (i = 1; i <= n; i++) {
        flag = name(have[i]); before[flag] = before[flag] " " have[i]
        stays = index(ENVIRON["keep"], " " flag " ") && !index(ENVIRON["gone"], " " flag " ")
        if (!stays || flag in set) continue
        if (flag == "kubeconfig" || flag == "bootstrap-kubeconfig") hub = hub " " have[i]
        else line = line " " have[i]
        after[flag] = after[flag] " " have[i]
      }
      for (i = 1; i <= m; i++) { line = line " " want[i]; after[name(want[i])] = after[name(want[i])] " " want[i] }
      for (flag in before) all[flag] = 1
      for (flag in after) all[flag] = 1
      for (flag in all) {
        if (before[flag] == after[flag]) continue
        if (flag == "node-labels" || flag == "register-with-taints") same = 1
        else restart = 1
      }
      print (restart ? "restart" : same ? "keep" : "same")
      print "KUBELET_KUBEADM_ARGS=\"" substr(line, 2) (hub == "" ? "" : " " hub " ") "\""
    }' > "$update/flags" || return
  read -r what < "$update/flags"
  [ "$what" != same ] || return 0
  sed 1d "$update/flags" > "$update/flags.new" && chmod 0644 "$update/flags.new" &&
    beside=$(beside "$flags") && cp -p "$update/flags.new" "$beside" && mv -f "$beside" "$flags" || return
  if [ "$what" = restart ]; then kubelet=1 changed="$changed, kubelet arguments"
  else changed="$changed, labels"; fi
}
#: update-node
# old has the former files, new the new ones; changing is there while the node has some of both, and changed
# while only record and label are missing
update=$state/update flags=/var/lib/kubelet/kubeadm-flags.env config=/var/lib/kubelet/config.yaml
instance=/var/lib/kubelet/instance-config.yaml kubeconfig=$conf
[ ! -s /var/lib/openyurt/kubelet.conf ] || kubeconfig=/var/lib/openyurt/kubelet.conf
changing='' changed='' kubelet='' runtime='' units='' installed='' other=''

same() { [ -e "$1" ] && [ -e "$2" ] && [ "$(cksum < "$1")" = "$(cksum < "$2")" ]; }
version() { kubelet --version 2>/dev/null | sed -n 's/^Kubernetes v//p'; }
# args: the arguments that kubeadm has written for kubelet; arg NAME: one of them
args() { sed -n 's/^KUBELET_KUBEADM_ARGS="\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' "$flags"; }
arg() (set -f; for word in $(args); do case $word in "--$1="*) echo "${word#*=}" ;; esac; done)

# Most nodes of kubeadm have no kubectl, and curl has all that is needed.
field() { sed -n "s/^ *$1: *\"\{0,1\}\([^\"]*\)\"\{0,1\}\$/\1/p" "$kubeconfig" | head -n 1; }
# api METHOD PATH [PATCH], with the credential of kubelet
api() {
  if command -v kubectl >/dev/null 2>&1; then
    if [ "$1" = GET ]; then set -- get --raw "$2"; else set -- patch node "$name" --type=merge -p "$3"; fi
    kubectl --kubeconfig "$kubeconfig" --request-timeout=30s "$@"
  elif command -v curl >/dev/null 2>&1; then
    set -- "$1" "$(field server)$2" "${3-}"
    if [ "$1" = GET ]; then set -- "$2"
    else set -- -X "$1" -H 'Content-Type: application/merge-patch+json' -d "$3" "$2"; fi
    pem=$(field client-certificate)
    [ -z "$pem" ] || set -- --cacert /etc/kubernetes/pki/ca.crt --cert "$pem" --key "$(field client-key)" "$@"
    curl -fsS -m 30 "$@"
  else
    say 'this needs kubectl or curl'
    return 127
  fi
}

# file NUMBER: path and mode of a file of the join
file() { eval "path=\$path_$1 mode=\$mode_$1"; }

# What a file is for says what is restarted; kubelet and the runtime are restarted once, at the end.
touched() {
  changed="$changed, $1"
  case $1 in
    */certs.d/*) ;;
    */containerd.service.d/* | */crio.service.d/*) runtime=1 units=1 ;;
    */containerd/* | */crio/* | */registries.conf.d/*) runtime=1 ;;
    */kubelet.service.d/20-yurthub.conf) units=1 ;; # counts with the next start
    */kubelet.service.d/*) kubelet=1 units=1 ;;
    */default/kubelet | */sysconfig/kubelet) kubelet=1 ;;
    */systemd/system/*) units=1 ;;
  esac
}
restart() { systemctl restart "$1"; }
reload() { [ -z "$units" ] || systemctl daemon-reload; }
#: update-packages
# kubelet is at most as new as the API server, goes up by one minor, and on an empty node only (Kubernetes,
# version skew policy).
outdated=''
minor() { part=${1#*.}; echo "${part%%.*}"; }
check_packages() {
  have=$(version) to=$(minor "$kubelet_version")
  [ "$have" != "$kubelet_version" ] || return 0
  server=$(api GET /version | sed -n 's/.*"gitVersion": *"v\([0-9.]*\).*/\1/p')
  [ -n "$server" ] || stop 'the version of the API server cannot be read, which a new kubelet depends on' 69
  [ "$to" -le "$(minor "$server")" ] ||
    stop "kubelet $kubelet_version is newer than the API server, $server: upgrade the control plane first"
  [ -n "$have" ] || return 0
  from=$(minor "$have")
  [ "$to" -ge "$from" ] || stop "kubelet $have cannot go back to $kubelet_version: leave and join again"
  [ "$to" -le $((from + 1)) ] || stop "kubelet $have cannot skip a minor on the way to $kubelet_version: \
update with the join of each minor, or leave and join again"
  [ "$to" = "$from" ] || api GET "/api/v1/nodes/$name" | grep -q '"unschedulable": *true' ||
    stop "a new minor of kubelet needs an empty node: kubectl drain $name --ignore-daemonsets, and kubectl \
uncordon $name after the update"
}

# It fails only if it cannot be written: what is not installed by a package is an answer, too.
save_packages() {
  list=$(packages)
  echo "$list" > "$update/old/packages"
}

change_packages() {
  [ "$(version)" = "$kubelet_version" ] || outdated=1 installed=1 kubelet=1 units=1 changed="$changed, packages"
  [ -z "$outdated" ] || install_packages || { say 'the packages cannot be installed'; return 1; }
}

return_packages() {
  was=$(cat "$update/old/version")
  [ -n "$was" ] || return 0
  [ "$was" != "$(version)" ] || [ "$(packages)" != "$(cat "$update/old/packages" 2>/dev/null)" ] || return 0
  install_version "$was" && [ "$was" = "$(version)" ] || lost="$lost kubelet $was"
}
#: update-proxy
stage_proxy() { rm -f "$update/new/proxy" && write_drop_in "$update/new/proxy"; }
change_proxy() { put "$update/new/proxy" "$drop_in" 0600; }
#: update-reloads
# Each line has a file of the machine, and the step that reads it again.
reload_machine() {
  echo "$reloads" | while read -r path step; do
    case $changed in *"$path"*) $step ;; esac
  done
}
#: update-runtime
save_runtime() { runtime_now > "$update/old/runtime"; }
find_runtime() { has_runtime || outdated=1 runtime=1 units=1 changed="$changed, $runtime_package"; }
return_runtime() {
  was=$(cat "$update/old/runtime" 2>/dev/null)
  [ -z "$was" ] || [ "$was" = "$(runtime_now)" ] || install_runtime "$was" || lost="$lost $was"
}
#: update-start
update=$state/update
# The update itself is a file on the node, so that a boot can end it if the power fails.
main() {
  [ "$(id -u)" = 0 ] || { say 'this needs root'; exit 77; }
  command -v systemctl >/dev/null 2>&1 || { say 'this needs systemd: nothing is changed'; exit 69; }
  { mkdir -p "$update" && chmod 0700 "$update" && (umask 077; write_update > "$update/run.new") &&
    mv -f "$update/run.new" "$update/run.sh"; } || {
    rm -f "$update/run.new"
    say 'the new files cannot be written: is the disk full? Nothing is changed'
    exit 74
  }
  exec sh "$update/run.sh" "$@" </dev/null
}
#: update-static-pods
# Static Pods of a former join, by their annotation. kubelet ends a Pod whose file is gone.
former_pods() {
  for pod in "$pod_folder"/*.yaml; do
    case " $(echo $static_pods) " in *" $pod "*) continue ;; esac
    ! grep -q '^ *edge-nodepools/static-pod:' "$pod" 2>/dev/null || echo "$pod"
  done
}
save_pods() { for path in $(former_pods); do save "$path" || return; done; }
drop_pods() { for path in $(former_pods); do drop "$path" || return; done; }
#: update-yurthub
# OpenYurt does not enable its unit: a machine that has booted before it had our drop-in has a kubelet that asks a
# proxy which nothing has started.
start_yurthub() {
  [ -e /etc/systemd/system/yurthub.service ] && ! systemctl is-active --quiet yurthub || return 0
  say 'yurthub, through which kubelet asks, does not run: it is started'
  systemctl start yurthub || return
  waited=0
  until api GET /version >/dev/null 2>&1 || [ "$waited" -ge 60 ]; do sleep 2; waited=$((waited + 2)); done
}
