# A plugin of dnf holds what no repository of ours excludes; not every machine has it.
hold() {
  [ $# = 0 ] || dnf -q versionlock add "$@" >/dev/null 2>&1 ||
    say "dnf has no versionlock here: an upgrade of the system can replace $*"
}
unhold() { [ $# = 0 ] || dnf -q versionlock delete "$@" >/dev/null 2>&1; }
install_packages() {
  unhold $held
  install_wanted || return
  hold $held
  control enable kubelet
}
