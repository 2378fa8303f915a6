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
