change_containerd() {
  toml=/etc/containerd/config.toml
  [ ! -e $toml ] || cp $toml "$update/toml" || return
  configure_containerd || return
  same "$update/toml" $toml || touched $toml
}
