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
